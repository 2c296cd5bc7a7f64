"""A large card for one of a few ways to start."""

from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import FlowLayout, IconLabel, Label, PracticeTag, primary
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus

_RADIUS: Final = 12
_TILE: Final = 44
_TILE_RADIUS: Final = 9
_ICON: Final = 20
_MARGIN: Final = 19


class Way(EnterPresses):
    """A button with icon, title and one sentence, and optional input fields below.

    Args:
        icon: the name of an icon.
        title: what it starts.
        text: one sentence about it.
        label: the label of a button inside; the default way has one, others have an arrow.
        is_practice: mark the title as practice.
        time: how long it takes, next to the title.
    """

    def __init__(
        self,
        icon: str,
        title: str,
        text: str,
        *,
        label: str = "",
        is_practice: bool = False,
        time: str = "",
    ) -> None:
        super().__init__()
        self._body: QWidget | None = None
        self._is_usual = bool(label)
        self._button = primary(label) if label else None
        self._arrow = IconLabel("chevron-right", "text3", 16)
        self._tile = _Tile(icon, "accent" if label else "text2")
        self.setAccessibleName(title)
        self.setAccessibleDescription(f"{time}. {text}" if time else text)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Preferred)  # its sentence wraps
        policy.setVerticalPolicy(QSizePolicy.Policy.Minimum)  # higher the more lines it has
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        mark = PracticeTag() if is_practice else Label(time, "card", "text3") if time else None
        words = _words(title, text, mark)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(1, 1)
        middle = Qt.AlignmentFlag.AlignVCenter
        self._grid.addWidget(self._tile, 0, 0, middle)
        self._grid.addLayout(words, 0, 1)
        self._grid.addWidget(self._end(), 0, 2, middle)

    def set_body(self, body: QWidget) -> None:
        """Add the fields that this way needs below its sentence, hidden until `set_open`."""
        self._body = body
        # A click next to an input doesn't press the card.
        body.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        body.setContentsMargins(0, 20, 0, 0)
        self._grid.addWidget(body, 1, 0, 1, 3)
        body.hide()

    def set_open(self, open_: bool) -> None:
        """Show or hide the body."""
        if self._body is not None:
            self._body.setVisible(open_)
            self._tile.set_color("accent" if open_ else "text2")
            self._arrow.set_icon("chevron-down" if open_ else "chevron-right", "text3")
            self.update()

    def set_usual(self, usual: bool) -> None:
        """Emphasise this way as the default, or stop while another one is open."""
        self._is_usual = usual
        self._tile.set_color("accent" if usual else "text2")
        if self._button is not None:
            self._button.set_kind("primary" if usual else "secondary")
        self.update()

    @property
    def is_open(self) -> bool:
        """Whether the body is shown."""
        return self._body is not None and self._body.isVisibleTo(self)

    def sizeHint(self) -> QSize:
        """Return the size of the content."""
        return self._grid.totalSizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore keys that an input inside didn't handle."""
        if self.hasFocus():
            super().keyPressEvent(event)
        else:
            event.ignore()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the card: the default way has an accent border, and the focus ring is a second one."""
        painter, area, has_focus = QPainter(self), QRectF(self.rect()), shows_focus(self)
        line, width = ("accent", 2) if self._is_usual or self.is_open or has_focus else ("line", 1)
        fill = "sunken" if self.underMouse() and self.isEnabled() and not self.is_open else "surface"
        rounded(painter, area, _RADIUS, fill=fill, line=line, width=width)
        if has_focus:
            rounded(painter, area.adjusted(4, 4, -4, -4), _RADIUS - 4, line="accent")

    def _end(self) -> QWidget:
        if self._button is None:
            return self._arrow
        self._button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the card has the focus
        self._button.clicked.connect(self.click)
        return self._button


def _words(title: str, text: str, mark: QWidget | None) -> QVBoxLayout:
    """Return a title, a widget next to it, and a sentence below."""
    heading = QWidget()
    row = FlowLayout(heading, 8, 0)
    row.addWidget(Label(title, "section"))
    if mark is not None:
        row.addWidget(mark)
    words = QVBoxLayout()
    words.setSpacing(3)
    words.addWidget(heading)
    words.addWidget(Label(text, "text", "text2", wrap=True))
    return words


class _Tile(QWidget):
    """The icon of a way on a small background."""

    def __init__(self, icon: str, color: str) -> None:
        super().__init__()
        self._icon_name, self._color = icon, color
        theme.follow(self._restyle)

    def set_color(self, color: str) -> None:
        self._color = color
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        area = QRectF(self.rect())
        rounded(painter, area, _TILE_RADIUS, fill="accent_soft" if self._color == "accent" else "line2")
        edge = area.width() * (_TILE - _ICON) / 2 / _TILE
        draw_icon(painter, area.adjusted(edge, edge, -edge, -edge), self._icon_name, self._color)

    def _restyle(self) -> None:
        edge = theme.current().grown(_TILE)
        self.setFixedSize(edge, edge)
