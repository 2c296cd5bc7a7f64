"""The sidebar: the calendar's name, and the panes."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.commands import spoken
from app.desktop.theme import icons, theme
from app.desktop.widgets import Menu, SpringPress, stop_at_checked
from app.desktop.widgets.button import key_hint_width, paint_key_hint
from app.desktop.widgets.enter import EnterPresses
from app.desktop.widgets.painting import draw_icon, mirrored, rounded
from app.language import number, tr

_HEADER_HEIGHT = 52
_MARK = 28
_LINE = 16
_INSET = 8
_ICON_LEFT, _LABEL_GAP = 10, 9
_COUNT_ROOM = 44


@dataclass(frozen=True, slots=True)
class Destination:
    """A pane in the sidebar."""

    name: str
    label: str
    icon: str


class RailItem(EnterPresses):
    """One line of the sidebar: icon, label, and a count if something needs attention."""

    def __init__(self, label: str, icon: str, *, checkable: bool = True, keys: str = "") -> None:
        super().__init__()
        self.setText(label)
        self.setAccessibleName(label)
        self.setCheckable(checkable)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._icon = icon
        self._keys = keys
        self._attention = 0
        theme.notifier().changed.connect(self.update)

    def set_attention(self, count: int) -> None:
        """Show how many things here need the user; 0 hides the count."""
        if count != self._attention:
            self._attention = count
            self.setAccessibleDescription(tr("{n} need attention", n=count) if count else "")
            self.update()

    def sizeHint(self) -> QSize:
        """A line of the rail, with room for its label in the weight of the open one."""
        look = theme.current()
        label = QFontMetrics(look.font("strong")).horizontalAdvance(self.text())
        least = look.metrics.rail - 2 * _INSET
        return QSize(max(least, self._label_left + label + self._room_after), look.metrics.control + 2)

    def minimumSizeHint(self) -> QSize:
        """Lines move together in a low window, before the header gives way."""
        return QSize(self.sizeHint().width(), QFontMetrics(theme.current().font("strong")).height())

    @property
    def _label_left(self) -> int:
        return _ICON_LEFT + theme.current().metrics.icon + _LABEL_GAP

    @property
    def _room_after(self) -> int:
        """What the label leaves free for a count, or for the keys."""
        count = round(_COUNT_ROOM * theme.current().scale)
        return max(count, round(key_hint_width(self._keys)) + 14 if self._keys else 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paints ground, icon, label, count and focus ring."""
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        edge = look.metrics.icon
        icon = mirrored(self, QRect(_ICON_LEFT, (self.height() - edge) // 2, edge, edge))
        draw_icon(painter, QRectF(icon), self._icon, self._ink)
        painter.setFont(look.font("text", look.font("strong").weight() if self.isChecked() else None))
        painter.setPen(look.color(self._ink))
        label = mirrored(self, self.rect().adjusted(self._label_left, 0, -self._room_after, 0))
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        if self._attention:
            self._paint_count(painter)
        if self._keys:
            width = round(key_hint_width(self._keys))
            place = mirrored(self, QRect(self.width() - 10 - width, 0, width, self.height()))
            paint_key_hint(painter, QRectF(place), self._keys)

    @property
    def _ink(self) -> str:
        if not self.isEnabled():
            return "text3"
        return "text" if self.isChecked() else "text2"

    def _paint_ground(self, painter: QPainter) -> None:
        look = theme.current()
        box = self.rect().adjusted(1, 1, -1, -1)
        if self.isChecked():
            painter.setBrush(look.color("raised" if look.tokens.dark else "surface"))
            painter.setPen(look.color("line"))
        elif self.underMouse():
            painter.setBrush(look.color("line2"))
            painter.setPen(Qt.PenStyle.NoPen)
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(Qt.PenStyle.NoPen)
        if self.hasFocus():
            painter.setPen(QPen(look.color("accent"), look.metrics.ring))
        painter.drawRoundedRect(box, look.metrics.radius, look.metrics.radius)

    def _paint_count(self, painter: QPainter) -> None:
        look = theme.current()
        painter.setFont(look.font("small", look.font("strong").weight()))
        text = number(self._attention)
        width = max(18, painter.fontMetrics().horizontalAdvance(text) + 11)
        height = max(18, painter.fontMetrics().height() + 2)
        pill = mirrored(self, QRect(self.width() - 12 - width, (self.height() - height) // 2, width, height))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color("bad_soft"))
        painter.drawRoundedRect(pill, height / 2, height / 2)
        painter.setPen(look.color("bad"))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


class RailHeader(EnterPresses):
    """The app's icon, the calendar's name and its place; a click offers other calendars."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setToolTip(tr("Other calendars"))
        self._name = "Kalends"
        self._place = ""
        theme.follow(self._restyle)

    def set_home(self, name: str, place: str) -> None:
        """``place`` is a few quiet words, for example "On this computer"."""
        self._name, self._place = name, place
        self.setAccessibleName(f"{name}, {place}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paints mark, name and place, and that it can be pressed."""
        look = theme.current()
        painter = QPainter(self)
        ground = QRectF(self.rect()).adjusted(0, 4, 0, -4)
        if self.hasFocus():
            rounded(painter, ground, look.metrics.radius, line="accent", width=look.metrics.ring)
        elif self.underMouse():
            rounded(painter, ground, look.metrics.radius, fill="line2")
        mark = mirrored(self, QRect(_INSET, (self.height() - _MARK) // 2 - 2, _MARK, _MARK))
        painter.drawPixmap(mark.topLeft(), icons.app_mark(_MARK, self.devicePixelRatioF()))
        self._paint_words(painter, _INSET + _MARK + 8)

    @property
    def _line(self) -> int:
        return round(_LINE * theme.current().scale)

    def _restyle(self) -> None:
        self.setFixedHeight(max(_HEADER_HEIGHT, 2 * self._line + 20))
        self.update()

    def _paint_words(self, painter: QPainter, left: int) -> None:
        look = theme.current()
        width, line, height = self.width() - left - 4, self._line, self.height()
        above = (height - 2 * line) // 2 - 2
        name_top = above if self._place else (height - line) // 2 - 1
        for role, ink, words, top in (
            ("strong", "text", self._name, name_top),
            ("small", "text3", self._place, above + line + 2),
        ):
            painter.setFont(look.font("strong" if role == "strong" else "small"))
            painter.setPen(look.color(ink))
            elided = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, width)
            place = mirrored(self, QRect(left, top, width, line))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)


class Rail(QWidget):
    """Header, destinations, and the choice of light or dark at the foot."""

    chosen = Signal(str)
    appearance_chosen = Signal(str)
    search_asked = Signal()

    def __init__(self, destinations: tuple[Destination, ...]) -> None:
        super().__init__()
        self.setProperty("ground", "sunken")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.header = RailHeader()
        self._items = {each.name: RailItem(each.label, each.icon) for each in destinations}
        self._group = QButtonGroup(self)
        self._search = RailItem(tr("Search"), "search", checkable=False, keys=spoken("Ctrl+K"))
        self._search.clicked.connect(self.search_asked)
        self._appearance = RailItem(tr("Appearance"), "sun", checkable=False)
        self._appearance.clicked.connect(self._show_appearance_menu)
        self._mode = "system"
        self._lay_out()
        self.set_open(open_=False)
        theme.follow(self._restyle)

    def select(self, name: str) -> None:
        """Marks a destination as the open one."""
        self._items[name].setChecked(True)
        stop_at_checked(self._items.values())

    def set_open(self, *, open_: bool) -> None:
        """Offers the destinations and other calendars, once there is something to go to."""
        for item in (self.header, *self._items.values(), self._search):
            item.setEnabled(open_)

    def set_attention(self, name: str, count: int) -> None:
        """Shows a count at a destination."""
        self._items[name].set_attention(count)

    def set_appearance(self, mode: str) -> None:
        """Tells the rail which of system, light and dark is in force."""
        self._mode = mode

    def _restyle(self) -> None:
        """Large text takes a wider rail."""
        items = (*self._items.values(), self._search, self._appearance)
        for item in items:
            item.updateGeometry()
        self.setFixedWidth(max(item.sizeHint().width() for item in items) + 2 * _INSET)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(_INSET, 8, _INSET, 8)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addSpacing(6)
        for name, item in self._items.items():
            self._group.addButton(item)
            item.clicked.connect(lambda _checked=False, name=name: self.chosen.emit(name))
            SpringPress(item)
            column.addWidget(item)
        column.addStretch(1)
        column.addWidget(self._search)
        column.addWidget(self._appearance)

    def _show_appearance_menu(self) -> None:
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        modes = (("system", tr("System")), ("light", tr("Light")), ("dark", tr("Dark")))
        for mode, label in modes:
            tick = "check" if mode == self._mode else ""
            menu.add(label, partial(self.appearance_chosen.emit, mode), icon=tick)
        menu.popup(self._appearance.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paints the hairline to the panes."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.current().color("sunken"))
        edge = mirrored(self, QRect(self.width() - 1, 0, 1, self.height()))
        painter.fillRect(edge, theme.current().color("line"))
