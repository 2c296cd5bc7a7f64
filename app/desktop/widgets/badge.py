"""Small marks beside a name: counts, states, and the sign of practice accounts."""

from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded
from app.language import number, tr

BadgeTone = Literal["neutral", "bad"]
TagTone = Literal["neutral", "ok", "warn", "bad"]


class _Mark(QWidget):
    """A short text in a small shape of its own size."""

    _padding = 7
    _height = 18

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        height = max(self._height, metrics.height() + 2)
        return QSize(max(height, metrics.horizontalAdvance(self._text) + 2 * self._padding), height)

    def set_text(self, text: str) -> None:
        """Change the text."""
        self._text = text
        self.setAccessibleName(text)
        self._restyle()

    def _write(self, painter: QPainter, color: str) -> None:
        painter.setPen(theme.current().color(color))
        painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, self._text)

    def _restyle(self) -> None:
        self.setFont(self._own_font())
        self.updateGeometry()
        self.update()

    def _own_font(self) -> QFont:
        return theme.current().font("small", QFont.Weight.DemiBold)


class Badge(_Mark):
    """A count; "bad" asks for attention, "neutral" only tells. It hides itself at zero."""

    _padding = 5

    def __init__(self, count: int = 0, tone: BadgeTone = "neutral", parent: QWidget | None = None) -> None:
        self._tone = tone
        super().__init__("", parent)
        self.set_count(count)

    def set_count(self, count: int) -> None:
        """Show another count."""
        self.set_text(number(count))
        self.setVisible(count > 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._tone == "bad":
            rounded(painter, QRectF(self.rect()), self.height() / 2, fill="bad_soft")
        self._write(painter, "bad" if self._tone == "bad" else "text2")

    def _own_font(self) -> QFont:
        weight = QFont.Weight.DemiBold if self._tone == "bad" else QFont.Weight.Medium
        return theme.current().font("small", weight)


class Tag(_Mark):
    """A word about a state ("active") as a soft pill, or a neutral remark ("Recommended") in a frame."""

    def __init__(self, text: str, tone: TagTone = "neutral", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._tone = tone

    def set_tone(self, tone: TagTone) -> None:
        """Change the state that the tag tells."""
        self._tone = tone
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._tone == "neutral":
            rounded(painter, QRectF(self.rect()), 4, fill="sunken", line="line")
            self._write(painter, "text2")
            return
        rounded(painter, QRectF(self.rect()), self.height() / 2, fill=f"{self._tone}_soft")
        self._write(painter, self._tone)


class PracticeTag(_Mark):
    """The dashed sign of practice accounts and their posts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("PRACTICE"), parent)
        self.setToolTip(tr("A stand-in account: nothing reaches a real platform"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rounded(painter, QRectF(self.rect()), 4, line="text3", dashed=True)
        self._write(painter, "text2")

    def _own_font(self) -> QFont:
        font = theme.current().font("small", QFont.Weight.DemiBold)
        font.setPixelSize(max(1, font.pixelSize() - 1))
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
        return font
