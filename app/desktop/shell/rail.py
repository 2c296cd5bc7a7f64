"""The sidebar: the calendar's name, the next post, and the panes."""

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.commands import spoken
from app.desktop.shell.next_post import NextPost
from app.desktop.theme import icons, theme
from app.desktop.widgets import SpringPress, stop_at_checked
from app.desktop.widgets.button import EnterPresses, key_hint_width, paint_key_hint
from app.desktop.widgets.painting import draw_icon, mirrored, rounded
from app.desktop.widgets.screen_reader import spoken_as
from app.language import number, tr, trc

_HEADER_HEIGHT = 52
_MARK = 28
_LINE = 16
_INSET = 8
_GAP = 4
_HEADING = 34
_ICON_LEFT, _LABEL_GAP = 10, 9
_COUNT_ROOM = 44
_DOT = 8
"""Diameter of the mark for an urgent count that has no room."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A pane in the sidebar.

    Attributes:
        name: Its name in the code.
        label: Its label in the sidebar.
        icon: The name of its icon.
        section: The heading it's listed under; "" above all headings.
        is_at_foot: It's listed at the bottom, below the search.
    """

    name: str
    label: str
    icon: str
    section: str = ""
    is_at_foot: bool = False


class RailItem(EnterPresses):
    """A line of the sidebar: icon, label, and the number of things in it or of those that need attention."""

    def __init__(self, label: str, icon: str, *, checkable: bool = True, keys: str = "") -> None:
        super().__init__()
        self.setText(label)
        self.setAccessibleName(label)
        self.setCheckable(checkable)
        self.setAutoExclusive(checkable)  # so that screen readers announce a radio group
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._icon = icon
        self._keys = keys
        self._count, self._is_urgent = 0, False
        theme.notifier().changed.connect(self.update)

    def show_label(self, shown: bool) -> None:
        """Show the label, or only the icon, with the label in the tooltip."""
        self.shows_name = not shown
        self.updateGeometry()
        self.update()

    def set_count(self, count: int, spoken: str, *, is_urgent: bool = False) -> None:
        """Show a count, 0 for none.

        Args:
            count: The number of things in the pane.
            spoken: The same for screen readers, such as "2 drafts".
            is_urgent: They need the user's attention.
        """
        self.setAccessibleDescription(spoken if count else "")
        if (count, is_urgent) != (self._count, self._is_urgent):
            self._count, self._is_urgent = count, is_urgent
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size of a line, wide enough for the label in the font weight of the open pane."""
        look = theme.current()
        if self.shows_name:
            return QSize(look.metrics.icon + 2 * _ICON_LEFT, look.metrics.control + 2)
        return QSize(self.labelled_width, look.metrics.control + 2)

    @property
    def labelled_width(self) -> int:
        """The width of a line with its label."""
        look = theme.current()
        label = QFontMetrics(look.font("strong")).horizontalAdvance(self.text())
        least = look.metrics.rail - 2 * _INSET
        return max(least, self._label_left + label + self._room_after)

    def minimumSizeHint(self) -> QSize:
        """Let lines move closer together in a low window, before the header shrinks."""
        return QSize(self.sizeHint().width(), QFontMetrics(theme.current().font("strong")).height())

    @property
    def _label_left(self) -> int:
        return _ICON_LEFT + theme.current().metrics.icon + _LABEL_GAP

    @property
    def _room_after(self) -> int:
        """The width reserved after the label for a count or the shortcut."""
        count = round(_COUNT_ROOM * theme.current().scale)
        return max(count, round(key_hint_width(self._keys)) + 14 if self._keys else 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint background, icon, label, count and focus ring; without a label, a dot for an urgent count."""
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        edge = look.metrics.icon
        icon = mirrored(self, QRect(_ICON_LEFT, (self.height() - edge) // 2, edge, edge))
        draw_icon(painter, QRectF(icon), self._icon, self._ink)
        if self.shows_name:
            self._paint_dot(painter, icon)
            return
        painter.setFont(look.font("text", look.font("strong").weight() if self.isChecked() else None))
        painter.setPen(look.color(self._ink))
        label = mirrored(self, self.rect().adjusted(self._label_left, 0, -self._room_after, 0))
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        if self._count:
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

    def _paint_dot(self, painter: QPainter, icon: QRect) -> None:
        """Paint a dot at the icon's corner if a count needs attention."""
        if self._count and self._is_urgent:
            dot = QRectF(0, 0, _DOT, _DOT)
            dot.moveCenter(icon.topLeft() if self.isRightToLeft() else icon.topRight())
            rounded(painter, dot, _DOT / 2, fill="bad")

    def _paint_count(self, painter: QPainter) -> None:
        look = theme.current()
        painter.setFont(look.font("small", look.font("strong").weight()))
        text = number(self._count)
        width = max(18, painter.fontMetrics().horizontalAdvance(text) + 11)
        height = max(18, painter.fontMetrics().height() + 2)
        pill = mirrored(self, QRect(self.width() - 12 - width, (self.height() - height) // 2, width, height))
        if self._is_urgent:
            rounded(painter, QRectF(pill), height / 2, fill="bad_soft")
        painter.setPen(look.color("bad" if self._is_urgent else "text3"))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


class RailHeader(EnterPresses):
    """The app's icon, the calendar's name and its place; a click lists the other calendars."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setToolTip(tr("Other calendars"))
        self._name = "Kalends"
        self._place = ""
        theme.follow(self._restyle)

    def show_words(self, shown: bool) -> None:
        """Show name and place, or only the icon, with both in the tooltip."""
        self.shows_name = not shown
        self.setToolTip(tr("Other calendars") if shown else "")
        self.update()

    def set_home(self, name: str, place: str) -> None:
        """Show a calendar; ``place`` is a short text, for example "On this computer"."""
        self._name, self._place = name, place
        self.setAccessibleName(f"{name}, {place}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint icon, name and place, and that it can be pressed."""
        look = theme.current()
        painter = QPainter(self)
        ground = QRectF(self.rect()).adjusted(0, 4, 0, -4)
        if self.hasFocus():
            rounded(painter, ground, look.metrics.radius, line="accent", width=look.metrics.ring)
        elif self.underMouse():
            rounded(painter, ground, look.metrics.radius, fill="line2")
        left = (self.width() - _MARK) // 2 if self.shows_name else _INSET
        mark = mirrored(self, QRect(left, (self.height() - _MARK) // 2 - 2, _MARK, _MARK))
        painter.drawPixmap(mark.topLeft(), icons.app_mark(_MARK, self.devicePixelRatioF()))
        if not self.shows_name:
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


class _Heading(QWidget):
    """The heading of a section in the sidebar; a line where its text has no room."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._is_worded = True
        self.setAccessibleName(text)
        theme.follow(self._restyle)

    def show_words(self, shown: bool) -> None:
        """Show the text, or a line."""
        self._is_worded = shown
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the name above the section's first line."""
        look = theme.current()
        painter = QPainter(self)
        if not self._is_worded:
            line = self.rect().adjusted(_INSET, self.height() // 2, -_INSET, 0)
            painter.fillRect(line.x(), line.y(), line.width(), 1, look.color("line"))
            return
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text3"))
        place = mirrored(self, self.rect().adjusted(_INSET, 0, -4, -4))
        painter.drawText(place, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, self._text)

    def _restyle(self) -> None:
        self.setFixedHeight(round(_HEADING * theme.current().scale))
        self.update()


@spoken_as(QAccessible.Role.Grouping)
class Rail(QWidget):
    """Header, next post and destinations, with the search and the settings at the bottom.

    In a low window, the next post is hidden first, then the headings. In a narrow one, only icons show.
    """

    chosen = Signal(str)
    search_asked = Signal()
    next_post_shown = Signal(bool)
    """Whether the next post is visible here."""

    def __init__(self, destinations: tuple[Destination, ...]) -> None:
        super().__init__()
        self.setProperty("ground", "sunken")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(tr("Sidebar"))
        self.header = RailHeader()
        self.next_post = NextPost()
        self.next_post.hide()
        self.next_post.changed.connect(self._fit)
        self.waiting = RailItem(trc("sidebar", "Publish by hand"), "bell", checkable=False)
        self.waiting.hide()
        self._items = {each.name: RailItem(each.label, each.icon) for each in destinations}
        self._headings: list[_Heading] = []
        self._is_narrow = False
        self._group = QButtonGroup(self)
        self._search = RailItem(tr("Search"), "search", checkable=False, keys=spoken("Ctrl+K"))
        self._search.clicked.connect(self.search_asked)
        self._lay_out(destinations)
        self.set_open(open_=False)
        theme.follow(self._restyle)

    def select(self, name: str) -> None:
        """Mark a destination as the current one."""
        self._items[name].setChecked(True)
        stop_at_checked(self._items.values())

    def focus_selected(self) -> None:
        """Focus the current destination."""
        item = next((item for item in self._items.values() if item.isChecked()), self.header)
        item.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_open(self, *, open_: bool) -> None:
        """Enable the destinations and the other calendars while a calendar is open."""
        for item in (self.header, *self._items.values(), self._search):
            item.setEnabled(open_)

    def set_count(self, name: str, count: int, spoken: str, *, is_urgent: bool = False) -> None:
        """Show a count for a destination, like `RailItem.set_count`."""
        self._items[name].set_count(count, spoken, is_urgent=is_urgent)

    def set_waiting(self, count: int, spoken: str) -> None:
        """Show how many posts the user has to publish by hand; hidden for 0."""
        self.waiting.set_count(count, spoken, is_urgent=True)
        self.waiting.setToolTip(spoken)
        self.waiting.setVisible(bool(count))
        self._fit()

    @property
    def usual_width(self) -> int:
        """The width with all words, in px."""
        return max(item.labelled_width for item in self._lines) + 2 * _INSET

    def set_narrow(self, narrow: bool) -> None:
        """Show only icons, with their words in tooltips, or the words as well."""
        if narrow == self._is_narrow:
            return
        self._is_narrow = narrow
        for line in self._lines:
            line.show_label(not narrow)
        self.header.show_words(not narrow)
        for heading in self._headings:
            heading.show_words(not narrow)
        self._restyle()

    @property
    def _lines(self) -> tuple[RailItem, ...]:
        return (*self._items.values(), self._search, self.waiting)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what doesn't fit."""
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the separator next to the panes."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.current().color("sunken"))
        edge = mirrored(self, QRect(self.width() - 1, 0, 1, self.height()))
        painter.fillRect(edge, theme.current().color("line"))

    def _restyle(self) -> None:
        """Widen the sidebar for large text."""
        for line in self._lines:
            line.updateGeometry()
        narrow = max(_MARK, *(line.sizeHint().width() for line in self._lines)) + 2 * _INSET
        self.setFixedWidth(narrow if self._is_narrow else self.usual_width)
        self._fit()

    def _lay_out(self, destinations: tuple[Destination, ...]) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(_INSET, 8, _INSET, 8)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addSpacing(_GAP)
        column.addWidget(self.next_post)
        column.addSpacing(_GAP)
        column.addWidget(self.waiting)
        section = ""
        for each in destinations:
            item = self._items[each.name]
            self._group.addButton(item)
            item.clicked.connect(lambda _checked=False, name=each.name: self.chosen.emit(name))
            SpringPress(item)
            if each.is_at_foot:
                continue
            if each.section != section:
                section = each.section
                self._headings.append(_Heading(section))
                column.addWidget(self._headings[-1])
            column.addWidget(item)
        column.addStretch(1)
        column.addWidget(self._search)
        for each in destinations:
            if each.is_at_foot:
                column.addWidget(self._items[each.name])

    def _fit(self) -> None:
        lines = [self.header, *self._items.values(), self._search]
        lines += [] if self.waiting.isHidden() else [self.waiting]
        least = sum(line.sizeHint().height() for line in lines) + 2 * (8 + _GAP)
        headings = sum(heading.height() for heading in self._headings)
        for heading in self._headings:
            heading.setVisible(self.height() >= least + headings)
        fits = self.height() >= least + headings + self.next_post.sizeHint().height()
        is_shown = fits and self.next_post.has_post and not self._is_narrow
        self.next_post.setVisible(is_shown)
        self.next_post_shown.emit(is_shown)
