"""An axis of pyqtgraph that writes names where they were said to stand, and nothing else."""

from collections.abc import Sequence
from typing import Final, Literal

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

_FROM_LINES: Final = 6
_INK: Final = 0.8
"""Of the height of a name: what its letters take."""
_ANY: Final = QRectF(0, 0, 100, 100)
_CENTER: Final = Qt.AlignmentFlag.AlignCenter
_SIDES: Final = {
    "left": Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip,
    "bottom": Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextDontClip,
}


class NameAxis(pg.AxisItem):  # type: ignore[misc]
    """pyqtgraph's own works out lines and levels of ticks at each change, and records a picture of them."""

    def __init__(self, orientation: Literal["left", "bottom"]) -> None:
        super().__init__(orientation)
        self._names: Sequence[tuple[float, str]] = ()
        self._font, self._ink = QFont(), QColor()
        self._side = int(_SIDES[orientation])
        self.setStyle(hideOverlappingLabels=False, tickLength=0)  # names may reach beyond the ends
        self.enableAutoSIPrefix(False)

    def dress(self, font: QFont, ink: QColor) -> None:
        """Write in this from now on."""
        self._font, self._ink = font, ink
        self.update()

    def name(self, names: Sequence[tuple[float, str]]) -> None:
        """Write these names beside these values."""
        self._names = names
        self.update()

    def paint(self, painter: QPainter, _option: object, _widget: object) -> None:
        """Write the names that have room, those of the left before their values, the others below."""
        painter.setFont(self._font)
        painter.setPen(self._ink)
        within = self.boundingRect()
        for value, name in self._names:
            box = self._box(painter, value, name)
            if self.range[0] <= value <= self.range[1] and within & box == box:
                painter.drawText(box, self._side, name)

    def _box(self, painter: QPainter, value: float, name: str) -> QRectF:
        room, (low, high) = self.rect(), self.range
        written = painter.boundingRect(_ANY, _CENTER, name)
        width, height = written.width(), written.height() * _INK
        share = (value - low) / (high - low) if high > low else 0.0
        if self.orientation == "left":
            middle = room.bottom() - share * room.height()
            return QRectF(room.right() - _FROM_LINES - width, middle - height / 2, width, height)
        middle = room.left() + share * room.width()
        return QRectF(middle - width / 2, room.top() + _FROM_LINES, width, height)
