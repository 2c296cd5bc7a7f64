"""What a chart draws in its room: curves and dots, in pixels.

Scaled by the painter, Qt takes ten times as long for a line of two pixels.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTransform

from app.desktop.analytics.strokes import pieces
from app.desktop.theme import theme


class Spot(NamedTuple):
    """A dot at a place and a value; ``color`` is a role or `#RRGGBB`, ``size`` in pixels."""

    place: float
    value: float
    color: str
    size: int


class Curve(pg.PlotCurveItem):  # type: ignore[misc]
    """Lies within the room of all lines: where exactly within is asked at each step, and of no use here."""

    def __init__(self, **looks: Any) -> None:
        self.room = QRectF()
        self.line: QPen | None = None
        """Draws the line, in place of the pen that the library knows: that one is thin on a fine screen."""
        super().__init__(**looks)

    def boundingRect(self) -> QRectF:
        return self.room

    def paint(self, painter: QPainter, option: object, widget: object) -> None:
        """What the library draws, then the line; dashes run on from piece to piece."""
        super().paint(painter, option, widget)
        if self.line is None:
            return
        (x, y), scale = self.getData(), painter.worldTransform()
        x, y = x * scale.m11() + scale.dx(), y * scale.m22() + scale.dy()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.line)
        painter.setWorldTransform(QTransform())
        if self.line.style() is Qt.PenStyle.SolidLine:
            painter.drawLines(pieces(x, y))
        else:
            painter.drawPath(pg.arrayToQPath(x, y, connect="finite"))
        painter.setWorldTransform(scale)


class Dots(pg.GraphicsObject):  # type: ignore[misc]
    """Dots of a few colours. The library's own keep a picture of each dot that there ever was."""

    def __init__(self) -> None:
        super().__init__()
        self._room = QRectF()
        self._spots: Sequence[Spot] = ()

    def boundingRect(self) -> QRectF:
        return self._room

    def show_spots(self, spots: Sequence[Spot], room: QRectF) -> None:
        """Show these within a room, in place of those that were there."""
        self.prepareGeometryChange()
        self._spots, self._room = spots, room

    def paint(self, painter: QPainter, _option: object, _widget: object) -> None:
        """Paint dot after dot."""
        scale, look = painter.worldTransform(), theme.current()
        painter.setWorldTransform(QTransform())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for place, value, color, size in self._spots:
            painter.setBrush(look.color(color))
            painter.drawEllipse(scale.map(QPointF(place, value)), size / 2, size / 2)
        painter.setWorldTransform(scale)
