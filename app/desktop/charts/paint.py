"""Draws the elements of charts, and bars that show a share. Points are in logical pixels."""

from collections.abc import Sequence
from itertools import pairwise
from math import floor
from typing import Final, NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.charts.scale import Scale, Stroke, Values, runs, thinned
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded, translucent

LINE: Final = 2.0
FINE_LINE: Final = 1.5
DOT: Final = 6.0
_SHADE: Final = 0.1
_SPARK_LINE: Final = 1.2
_SPARK_DOT: Final = 4.4


class Plane(NamedTuple):
    """The area of the lines: places from left to right, values from bottom to top."""

    across: Scale
    up: Scale

    def point(self, place: float, value: float) -> tuple[float, float]:
        """Return the point of a value at a place."""
        return self.across.at(place), self.up.at(value)

    def points(self, values: Values, places: range) -> Sequence[tuple[float, float]]:
        """Return the points of a line without gaps, reduced to those that can be distinguished."""
        known = ((place, values[place]) for place in places)
        return thinned([self.point(place, value) for place, value in known if value is not None])


def draw_stroke(painter: QPainter, plane: Plane, stroke: Stroke) -> None:
    """Draw a line with its gaps, its fill, and the dots at its end and between gaps."""
    if stroke.is_quiet:
        return
    base = plane.up.at(0)
    for places in runs(stroke.values):
        points = plane.points(stroke.values, places)
        if stroke.is_filled:
            draw_area(painter, points, base, stroke.color)
        draw_line(painter, points, stroke.color, FINE_LINE if stroke.is_dashed else LINE, stroke.is_dashed)


def draw_line(
    painter: QPainter,
    points: Sequence[tuple[float, float]],
    color: str,
    width: float,
    is_dashed: bool = False,
) -> None:
    """Draw a line through points."""
    style = Qt.PenStyle.DashLine if is_dashed else Qt.PenStyle.SolidLine
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.current().color(color), width, style, Qt.PenCapStyle.FlatCap))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if is_dashed:
        # In one piece, so that dashes continue across points.
        painter.drawPolyline(QPolygonF([QPointF(*point) for point in points]))
    else:
        # Qt draws segments ten times as fast as the whole line, and their ends aren't visible.
        painter.drawLines([QLineF(*start, *end) for start, end in pairwise(points)])


def draw_area(painter: QPainter, points: Sequence[tuple[float, float]], base: float, color: str) -> None:
    """Fill the area between points and a height, lightly."""
    if len(points) < 2:
        return
    ends = (points[-1][0], base), (points[0][0], base)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(translucent(theme.current().color(color), _SHADE))
    painter.drawPolygon(QPolygonF([QPointF(*point) for point in (*points, *ends)]))


def draw_dot(
    painter: QPainter, point: tuple[float, float], color: str, size: float = DOT, ring: str | None = None
) -> None:
    """Draw a dot, with a ring in another colour around it."""
    look = theme.current()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(look.color(ring), FINE_LINE) if ring else Qt.PenStyle.NoPen)
    painter.setBrush(look.color(color))
    painter.drawEllipse(QPointF(*point), size / 2, size / 2)


def draw_upright(painter: QPainter, x: float, top: float, bottom: float, color: str) -> None:
    """Draw a vertical line, one pixel wide."""
    painter.fillRect(QRectF(floor(x), top, 1, bottom - top), theme.current().color(color))


def draw_level(painter: QPainter, y: float, left: float, right: float, color: str) -> None:
    """Draw a horizontal line, one pixel high."""
    painter.fillRect(QRectF(left, floor(y), right - left, 1), theme.current().color(color))


def draw_bar(
    painter: QPainter,
    track: QRectF,
    share: float,
    color: str,
    *,
    radius: float,
    least: float,
    direction: Qt.LayoutDirection,
) -> None:
    """Draw a bar over a share of a track, from 0 to 1, from the start of the reading direction.

    It is at least ``least`` pixels long, unless the share is 0.
    """
    if share <= 0:
        return
    bar = QRectF(track)
    bar.setWidth(min(track.width(), max(least, share * track.width())))
    if direction is Qt.LayoutDirection.RightToLeft:
        bar.moveRight(track.right())
    rounded(painter, bar, radius, fill=color)


def draw_spark(painter: QPainter, room: QRectF, values: Values) -> None:
    """Draw a small line without axes, scaled from its lowest to its highest value, across its gaps."""
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    if len(known) < 2:
        return
    lowest, highest = min(value for _, value in known), max(value for _, value in known)
    across = Scale(0, max(1, len(values) - 1), room.left(), room.right())
    up = Scale(lowest, max(highest, lowest + 1), room.bottom(), room.top())
    points = [(across.at(place), up.at(value)) for place, value in known]
    draw_line(painter, thinned(points), "text3", _SPARK_LINE)
    draw_dot(painter, points[-1], "text", _SPARK_DOT)


_THIN: Final = 4
_THICK: Final = 12


class ProgressMeter(QWidget):
    """The progress of something, in a colour role."""

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
        """Paint the track and the progress."""
        painter, track = QPainter(self), QRectF(0, 4, self.width(), _THIN)
        rounded(painter, track, _THIN / 2, fill="line")
        _draw(self, painter, track, self._share, self._color, _THIN)


class PeriodMeter(QWidget):
    """The elapsed share of a period."""

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
        """Paint the track, the elapsed part, and today."""
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
        """Show shares from 0 to 1, each with its colour role, from the start of the reading direction."""
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
            left, shown = round(begin), max(1, round(length) - 1)  # a pixel of the track separates them
            if length:
                box = QRectF(width - left - shown if is_mirrored else left, 0, shown, self.height())
                rounded(painter, box, 2, fill=ink)
            begin += length


def _draw(meter: QWidget, painter: QPainter, track: QRectF, share: float, color: str, least: float) -> None:
    direction = meter.layoutDirection()
    draw_bar(painter, track, share, color, radius=_THIN / 2, least=least, direction=direction)
