"""What a list of rows with pictures shows while it loads: the shape of its rows."""

from typing import Final

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.desktop.theme import theme
from app.desktop.widgets import Skeleton
from app.desktop.widgets.painting import mirrored, rounded

_ROW: Final = 52
_PICTURE: Final = 40
_INSET: Final = 16
_GAP: Final = 12
_WIDTHS: Final = (0.46, 0.3, 0.38, 0.52, 0.26)
"""Of the titles, as shares of the room: rows of one length would look like a table."""


class RowSkeleton(Skeleton):
    """A panel with squares for pictures, and bars for titles and facts."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.is_ripe():
            return
        look, painter = theme.current(), QPainter(self)
        rounded(painter, QRectF(self.rect()), look.metrics.radius_panel, fill="surface", line="line")
        height, edge = look.grown(_ROW), look.grown(_PICTURE)
        for row in range((self.height() - _INSET) // height):
            top = _INSET // 2 + row * height
            left = _INSET + edge + _GAP
            room = self.width() - left - _INSET
            share = _WIDTHS[row % len(_WIDTHS)]
            self._paint(painter, QRect(_INSET, top + (height - edge) // 2, edge, edge), 5)
            self._paint(painter, QRect(left, top + height // 2 - 14, round(room * share), 10), 5)
            self._paint(painter, QRect(left, top + height // 2 + 6, round(room * share / 2), 8), 4)

    def _paint(self, painter: QPainter, box: QRect, radius: float) -> None:
        rounded(painter, QRectF(mirrored(self, box)), radius, fill="line2")
