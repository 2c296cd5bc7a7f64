"""A tinted block of a post's panel: what happened or what is asked of the user, and ways to go on."""

from collections.abc import Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import FlowLayout, IconLabel, Label
from app.desktop.widgets.painting import rounded


class NoticeBlock(QFrame):
    """An icon, a headline, advice, buttons that wrap, and possibly more below. Hidden at first.

    Args:
        icon: name of the icon.
        tone: ``warn`` or ``bad``: the colors of the icon and the background.
    """

    def __init__(self, icon: str, tone: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._tone = IconLabel(icon, tone), tone
        self.headline, self.advice = Label("", "strong", wrap=True), Label("", "card", "text2", wrap=True)
        self.hide()

    def set_tone(self, icon: str, tone: str) -> None:
        """Change the icon and the colors."""
        self._tone = tone
        self._icon.set_icon(icon, tone)
        self.update()

    def lay_out(self, buttons: Iterable[QWidget], *below: QWidget) -> None:
        """Arrange the parts."""
        ways = QWidget()
        flow = FlowLayout(ways, gap=8)
        for button in buttons:
            flow.addWidget(button)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self.headline)
        words.addWidget(self.advice)
        words.addSpacing(4)
        for part in (ways, *below):
            words.addWidget(part)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 12, 10)
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the background."""
        radius = theme.current().metrics.radius
        rounded(QPainter(self), QRectF(self.rect()), radius, fill=f"{self._tone}_soft")
