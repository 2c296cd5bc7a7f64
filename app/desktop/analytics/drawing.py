"""The drawing of a line chart: where things stand in it, and how they are painted.

Painted by hand: a filter is answered within a frame, of which a chart library took the larger part.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from app.desktop.analytics.wording import short_number
from app.desktop.theme import theme
from app.desktop.usage.actions import axis

_FOOT: Final = 24
_MARKS_AT: Final = 0.045
"""Of the height, below the axis."""
_MARGIN: Final = 2
_TOP, _RIGHT = 8, 6
_OFFSET: Final = 6
_DOT, _MARK, _ASKED = 3.0, 2.5, 4.5
"""Radii: of ends and lonely days, of marks, of the place that is asked for."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line. ``color`` is a role or `#RRGGBB`; NaN leaves a gap."""

    name: str
    color: str
    values: NDArray[np.float64]
    is_dashed: bool = False
    is_filled: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """What stands below: how many places there are, some of their names, the place of today, and the marks.

    ``marks`` are places with colours.
    """

    places: int
    names: Sequence[tuple[int, str]]
    today: int | None = None
    marks: Sequence[tuple[int, str]] = ()


class Drawing:
    """Lines over an axis, in a size in logical pixels and the theme in force."""

    def __init__(self, strokes: Sequence[Stroke], below: Axis, size: QSize) -> None:
        self._strokes, self._axis = strokes, below
        self._ticks = _ticks(strokes)
        font = QFontMetrics(theme.current().font("small"))
        widest = max(font.horizontalAdvance(short_number(tick)) for tick in self._ticks)
        whole = QRectF(0, 0, size.width(), size.height()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        foot = max(_FOOT, font.height() + 8)
        self._box = whole.adjusted(widest + 10, _TOP, -_RIGHT, -foot)
        height = self._ticks[-1] - self._ticks[0]
        self._low = self._ticks[0] - height * (2 * _MARKS_AT if below.marks else 0.01)
        self._high = self._ticks[-1] + height * 0.02

    @property
    def foot(self) -> float:
        """Where the lines' room ends, in pixels from the top; names stand below."""
        return self._box.bottom()

    def x_of(self, place: float) -> float:
        """Where a place stands, in pixels from the left."""
        return float(self._box.left() + (place + 0.2) * self._step)

    def y_of(self, value: float) -> float:
        """Where a value stands, in pixels from the top."""
        share = (value - self._low) / (self._high - self._low)
        return float(self._box.bottom() - share * self._box.height())

    def place_at(self, x: float) -> int:
        """The place nearest to a pixel from the left."""
        return round((x - self._box.left()) / self._step - 0.2)

    def paint(self, painter: QPainter) -> None:
        """Paint everything but what is asked for."""
        self._paint_grid(painter)
        if self._axis.today is not None:
            self._paint_upright(painter, self._axis.today, "rubric")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for stroke in self._strokes:
            self._paint_stroke(painter, stroke)
        self._paint_dots(painter)

    def paint_asked(self, painter: QPainter, place: int) -> None:
        """Paint a line at a place, and a dot where each line is."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_upright(painter, place, "text3")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = theme.current()
        painter.setPen(QPen(look.color("surface"), 1.5))
        for stroke in self._strokes:
            if place < stroke.values.size and not np.isnan(stroke.values[place]):
                painter.setBrush(look.color(stroke.color))
                painter.drawEllipse(self._point(place, float(stroke.values[place])), _ASKED, _ASKED)

    @property
    def _step(self) -> float:
        return float(max(1.0, self._box.width()) / (max(1, self._axis.places) - 0.6))

    def _point(self, place: float, value: float) -> QPointF:
        return QPointF(self.x_of(place), self.y_of(value))

    def _points(self, first: int, values: Sequence[float]) -> list[QPointF]:
        """Of values in a row; what they share is worked out once."""
        left, step = self.x_of(first), self._step
        zero, scale = self.y_of(0), self._box.height() / (self._high - self._low)
        return [QPointF(left + number * step, zero - value * scale) for number, value in enumerate(values)]

    def _paint_grid(self, painter: QPainter) -> None:
        """A line at each tick, and the names of ticks and places."""
        look, box = theme.current(), self._box
        painter.setFont(look.font("small"))
        line, ink = QPen(look.color("line2"), 1), QPen(look.color("text3"))
        height = QFontMetrics(painter.font()).height()
        for tick in self._ticks:
            y = self.y_of(tick)
            painter.setPen(line)
            painter.drawLine(QPointF(box.left(), round(y)), QPointF(box.right(), round(y)))
            painter.setPen(ink)
            place = QRectF(0, y - height / 2, box.left() - _OFFSET, height)
            painter.drawText(
                place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, short_number(tick)
            )
        for at, name in self._axis.names:
            place = QRectF(self.x_of(at) - 60, box.bottom() + _OFFSET, 120, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter, name)

    def _paint_upright(self, painter: QPainter, place: int, color: str) -> None:
        x = round(self.x_of(place))
        painter.setPen(QPen(theme.current().color(color), 1))
        painter.drawLine(QPointF(x, self._box.top()), QPointF(x, self._box.bottom()))

    def _paint_stroke(self, painter: QPainter, stroke: Stroke) -> None:
        color = theme.current().color(stroke.color)
        style = Qt.PenStyle.DashLine if stroke.is_dashed else Qt.PenStyle.SolidLine
        soft = QColor(color)
        soft.setAlphaF(0.1)
        for first, values in runs(stroke.values):
            points = self._points(first, values)
            if stroke.is_filled:
                ground = self.y_of(0)
                ends = [QPointF(points[-1].x(), ground), QPointF(points[0].x(), ground)]
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(soft)
                painter.drawPolygon(QPolygonF([*points, *ends]))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color, 1.5 if stroke.is_dashed else 2, style))
            painter.drawPolyline(QPolygonF(points))

    def _paint_dots(self, painter: QPainter) -> None:
        """The marks below the axis, the ends of lines, and days that stand alone."""
        look = theme.current()
        painter.setPen(Qt.PenStyle.NoPen)
        y = self._ticks[0] - (self._ticks[-1] - self._ticks[0]) * _MARKS_AT
        for place, color in self._axis.marks:
            painter.setBrush(look.color(color))
            painter.drawEllipse(self._point(place, y), _MARK, _MARK)
        for stroke in self._strokes:
            painter.setBrush(look.color(stroke.color))
            told = list(runs(stroke.values))
            lonely = {first for first, values in told if len(values) == 1}
            end = {told[-1][0] + len(told[-1][1]) - 1} if told and not stroke.is_dashed else set()
            for place in lonely | end:
                painter.drawEllipse(self._point(place, float(stroke.values[place])), _DOT, _DOT)


def runs(values: NDArray[np.float64]) -> list[tuple[int, list[float]]]:
    """Values without gaps: the place of the first, and all of them."""
    known = np.concatenate(([0], (~np.isnan(values)).astype(np.int8), [0]))
    edges = np.flatnonzero(np.diff(known)).tolist()
    return [(first, values[first:end].tolist()) for first, end in zip(edges[::2], edges[1::2], strict=True)]


def _ticks(strokes: Sequence[Stroke]) -> list[int]:
    """Round numbers around what is told."""
    values = [one.values[~np.isnan(one.values)] for one in strokes]
    most = max((float(one.max()) for one in values if one.size), default=0.0)
    least = min((float(one.min()) for one in values if one.size), default=0.0)
    ticks = axis(int(most + 0.999))
    if least < 0:
        step = ticks[1] - ticks[0]
        ticks = [-step * times for times in range(int(-least // step) + 1, 0, -1)] + ticks
    return ticks
