"""A large card that is one of several choices, with room for what the choice needs."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.widgets.badge import Tag
from app.desktop.widgets.inputs import RadioButton
from app.desktop.widgets.label import Label
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus

_RADIUS = 12


class ChoiceCard(QFrame):
    """A radio button as a card: icon, title, one sentence.

    Args:
        icon: name of an icon.
        title: the choice.
        text: one sentence about it.
        group: the group that makes cards exclude each other.
        tag: a short remark beside the title, or "".
        parent: the owner.
    """

    toggled = Signal(bool)
    """Whether it is the choice now."""

    def __init__(
        self,
        icon: str,
        title: str,
        text: str,
        group: QButtonGroup,
        *,
        tag: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._tile = _Tile(icon)
        self._body: QWidget | None = None
        self.radio = RadioButton()
        self.radio.setAccessibleName(title)
        self.radio.setAccessibleDescription(text)
        self.radio.toggled.connect(self._show_choice)
        group.addButton(self.radio)
        words = QVBoxLayout()
        words.setSpacing(8)
        words.addLayout(_heading(title, tag))
        words.addWidget(Label(text, "text", "text2", wrap=True))
        words.addStretch(1)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(27, 28, 27, 27)
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self._tile, 0, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addLayout(words, 0, 1)
        self._grid.addWidget(self.radio, 0, 2, Qt.AlignmentFlag.AlignTop)

    def is_checked(self) -> bool:
        """Return whether this is the choice."""
        return self.radio.isChecked()

    def set_checked(self, checked: bool) -> None:
        """Make this the choice."""
        self.radio.setChecked(checked)

    def set_body(self, body: QWidget) -> None:
        """Put what the choice needs below its sentence; it shows only while this is the choice."""
        self._body = body
        body.setContentsMargins(0, 22, 0, 0)
        self._grid.addWidget(body, 1, 1, 1, 2)
        body.setVisible(self.is_checked())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.isEnabled() and self.rect().contains(event.position().toPoint()):
            self.set_checked(True)
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        chosen = self.is_checked()
        line, width = ("accent", 2) if chosen or shows_focus(self.radio) else ("line", 1)
        rounded(QPainter(self), QRectF(self.rect()), _RADIUS, fill="surface", line=line, width=width)

    def _show_choice(self, chosen: bool) -> None:
        if self._body is not None:
            self._body.setVisible(chosen)
        self._tile.set_chosen(chosen)
        self.update()
        self.toggled.emit(chosen)


class _Tile(QWidget):
    """The icon of a choice on a small ground."""

    def __init__(self, icon: str) -> None:
        super().__init__()
        self._icon_name, self._chosen = icon, False
        self.setFixedSize(40, 40)

    def set_chosen(self, chosen: bool) -> None:
        self._chosen = chosen
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        fill = "accent_soft" if self._chosen else "sunken"
        rounded(painter, rect, 10, fill=fill, line=None if self._chosen else "line")
        draw_icon(
            painter, rect.adjusted(10, 10, -10, -10), self._icon_name, "accent" if self._chosen else "text2"
        )


def _heading(title: str, tag: str) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(Label(title, "section"))
    if tag:
        row.addWidget(Tag(tag))
    row.addStretch(1)
    return row
