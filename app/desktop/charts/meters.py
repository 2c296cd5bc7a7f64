"""Bars that show a share of a whole: progress, a period with today in it, and parts next to each other."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.charts.paint import draw_bar
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded

_THIN: Final = 4
_THICK: Final = 12


class ProgressMeter(QWidget):
    """How much of something is done, in a colour role."""

    def __init__(self, color: str = "accent") -> None:
        super().__init__()
        self._share, self._color = 0.0, color
        self.setFixedHeight(_THIN + 4)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_share(self, share: float) -> None:
        """Show a share from 0 to 1."""
        self._share = min(max(share, 0.0), 1.0)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, _THIN + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the track and what is done."""
        painter, track = QPainter(self), QRectF(0, 4, self.width(), _THIN)
        rounded(painter, track, _THIN / 2, fill="line")
        _draw(self, painter, track, self._share, self._color, _THIN)


class PeriodMeter(QWidget):
    """How much of a period is over."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0
        self.setFixedHeight(14)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_share(self, share: float) -> None:
        """Show a share from 0 to 1."""
        self._share = min(1.0, max(0.0, share))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the track, what is over, and today."""
        painter, track = QPainter(self), QRectF(0, 5, self.width(), _THIN)
        rounded(painter, track, 2, fill="line2")
        _draw(self, painter, track, self._share, "text2", 0)
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        over = (1 - self._share if is_mirrored else self._share) * self.width()
        today = min(max(over, 1), self.width() - 1)
        painter.fillRect(QRectF(today - 1, 1, 2, 12), theme.current().color("rubric"))


class PartsMeter(QWidget):
    """Shares of a whole next to each other, each in a shade."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: Sequence[tuple[float, str]] = ()
        self.setFixedHeight(_THICK)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_parts(self, parts: Sequence[tuple[float, str]]) -> None:
        """Show shares from 0 to 1, each with the role of its colour, from the side where reading begins."""
        self._parts = parts
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the track and its parts."""
        painter, width = QPainter(self), self.width()
        rounded(painter, QRectF(self.rect()), 3, fill="line2")
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        begin = 0.0
        for share, ink in self._parts:
            length = max(2.0, share * width) if share > 0 else 0.0
            left, shown = round(begin), max(1, round(length) - 1)  # one pixel of the track parts them
            if length:
                box = QRectF(width - left - shown if is_mirrored else left, 0, shown, self.height())
                rounded(painter, box, 2, fill=ink)
            begin += length


def _draw(meter: QWidget, painter: QPainter, track: QRectF, share: float, color: str, least: float) -> None:
    direction = meter.layoutDirection()
    draw_bar(painter, track, share, color, radius=_THIN / 2, least=least, direction=direction)
