"""Numbered steps, joined by a line: done, current, later, or not done."""

from typing import Literal

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSpacerItem, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import Label
from app.desktop.widgets.painting import draw_icon, mirrored, rounded
from app.language import tr, trc

State = Literal["done", "now", "later", "problem", "failed"]

_DOT = 24
_FILLS = {
    "done": "ok_soft",
    "now": "accent",
    "later": "surface",
    "problem": "warn_soft",
    "failed": "bad_soft",
}
_GLYPHS = {"done": ("check", "ok"), "problem": ("triangle-alert", "warn"), "failed": ("x", "bad")}
_TONES = {"done": "text2", "now": "text", "later": "text3", "problem": "text", "failed": "text"}
_SPOKEN = {
    "done": trc("state of a step", "done"),
    "now": tr("now"),
    "later": tr("later"),
    "problem": tr("problem"),
    "failed": tr("problem"),
}


class Step(QWidget):
    """A step with its title, help below, and buttons below that."""

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number, self._last = number, False
        self._state: State = "later"
        self._title = Label("", "text", wrap=True)
        self._help = Label("", "text", "text2", wrap=True)
        self._buttons = QWidget()
        self._row = QHBoxLayout(self._buttons)
        self._row.setContentsMargins(0, 8, 0, 0)
        self._row.setSpacing(8)
        self._row.addStretch(1)
        self._buttons.hide()
        self._help.hide()
        self._beside, words = QHBoxLayout(self), QVBoxLayout()
        self._beside.setContentsMargins(0, 4, 0, 20)
        self._beside.setSpacing(0)
        self._room = QSpacerItem(0, 0)
        self._beside.addItem(self._room)
        self._beside.addLayout(words, 1)
        words.setSpacing(4)
        for widget in (self._title, self._help, self._buttons):
            words.addWidget(widget)
        theme.follow(self._restyle)

    def state(self) -> State:
        """Return the state of the step."""
        return self._state

    def text(self) -> str:
        """Return the step's title."""
        return self._title.text()

    def set_state(self, state: State, text: str) -> None:
        """Change the state and the title."""
        self._state = state
        self._title.setText(text)
        self._title.set_tone(_TONES[state])
        theme.set_font(
            self._title, theme.current().font("text", QFont.Weight.DemiBold if state == "now" else None)
        )
        self.setAccessibleName(
            tr("Step {number}, {state}: {text}", number=self._number, state=_SPOKEN[state], text=text)
        )
        self.update()

    def set_help(self, text: str) -> None:
        """Show a sentence below the title, or nothing."""
        self._help.setText(text)
        self._help.setVisible(bool(text))

    def add_buttons(self, *buttons: QWidget) -> None:
        """Put buttons below the words."""
        for button in buttons:
            self._row.insertWidget(self._row.count() - 1, button)

    def set_buttons_visible(self, *, visible: bool) -> None:
        """Show or hide the buttons."""
        self._buttons.setVisible(visible)

    def set_last(self) -> None:
        """Draw no line to a next step."""
        self._last = True
        self._beside.setContentsMargins(0, 4, 0, 6)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, edge = QPainter(self), theme.current().grown(_DOT)
        if not self._last:
            line = theme.current().color("line")
            painter.fillRect(mirrored(self, QRect(edge // 2, edge, 1, self.height() - edge)), line)
        dot = QRectF(mirrored(self, QRect(0, 0, edge, edge)))
        later = self._state == "later"
        rounded(painter, dot, edge / 2, fill=_FILLS[self._state], line="line" if later else None)
        if self._state in _GLYPHS:
            glyph, color = _GLYPHS[self._state]
            draw_icon(painter, dot.adjusted(edge / 4, edge / 4, -edge / 4, -edge / 4), glyph, color)
            return
        painter.setFont(theme.current().font("card", QFont.Weight.DemiBold))
        painter.setPen(theme.current().color("text2" if later else "on_accent"))
        painter.drawText(dot, Qt.AlignmentFlag.AlignCenter, str(self._number))

    def _restyle(self) -> None:
        """Make room for the number. Unlike a layout's spacing, a spacer item can change its size."""
        edge = theme.current().grown(_DOT)
        self.setMinimumHeight(edge)
        self._room.changeSize(edge + 14, 0)
        self._beside.invalidate()
