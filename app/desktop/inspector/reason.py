"""Why a post is where it is, on a ground in the colour of its state."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.desktop.inspector.facts import Tone
from app.desktop.theme import theme
from app.desktop.widgets import IconLabel, Label
from app.desktop.widgets.painting import rounded

_ICONS: dict[Tone, str] = {"bad": "triangle-alert", "warn": "circle-help", "ok": "check", "neutral": "info"}


class Reason(QFrame):
    """A glyph and a sentence or two, which can be selected; hidden while there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tone: Tone = "neutral"
        self._label = Label("", "card", "text", wrap=True)
        self._label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._icon = IconLabel(_ICONS["neutral"])
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 9, 12, 9)
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._label, 1)
        self.say("", "neutral")

    def text(self) -> str:
        """What it says."""
        return self._label.text()

    def say(self, text: str, tone: Tone, icon: str = "") -> None:
        """Say this; "" for nothing. The icon is the tone's own where none is named."""
        self._tone = tone
        self._label.setText(text)
        self._icon.set_icon(icon or _ICONS[tone], "text3" if tone == "neutral" else tone)
        self.setVisible(bool(text))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        fill = "sunken" if self._tone == "neutral" else f"{self._tone}_soft"
        rounded(QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, fill=fill)
