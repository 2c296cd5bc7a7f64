"""Animations on the calendar: sliding days, flying cards, and a post that is published.

Everything is painted over days that already show the end state, in coordinates of the viewport.
"""

from collections.abc import Callable
from itertools import pairwise
from math import hypot, pi, sin
from typing import Final, NamedTuple

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from app.desktop import motion
from app.desktop.motion import tokens
from app.desktop.motion.animation import Run
from app.desktop.theme import theme
from app.desktop.widgets.painting import translucent

Path = Callable[[float], QPointF]
"""Returns the corner of a picture at a moment: 0 is the start, 1 the end."""

_LANDS_FROM: Final = 0.6
"""Moment of a flight from which the card itself is visible below the picture, which fades."""

_TICK: Final = ((-0.30, 0.02), (-0.08, 0.24), (0.32, -0.22))
"""Points of a tick, as fractions of its size, relative to its middle."""

_LARGEST_TICK: Final = 26
_FILL: Final = 0.92


class Flight(NamedTuple):
    """The picture of a flying card; ``place`` is the card's rectangle within the picture."""

    picture: QPixmap
    path: Path
    place: QRect
    timing: tokens.Timing


class _Moving(NamedTuple):
    """An animation that is painted now, in a rectangle."""

    area: QRect
    paint: Callable[[QPainter], None]
    hides: bool
    """Whether the card itself is still hidden."""


class CalendarMotion:
    """Moves things over the days of a view."""

    def __init__(self, view: QAbstractScrollArea, shifted: Callable[[], None]) -> None:
        """``shifted`` is called when the horizontal shift of the days changes."""
        self.shift = QPoint()
        """How far the days are from their place."""
        self._view = view
        self._shifted = shifted
        self._moving: dict[str, _Moving] = {}
        self._runs: dict[str, Run] = {}
        self._turn: Run | None = None

    @property
    def _viewport(self) -> QWidget:
        """The viewport, looked up each time because a stored wrapper can become invalid before the view."""
        return self._view.viewport()

    @property
    def hidden(self) -> frozenset[str]:
        """Keys of posts whose cards are still hidden, because their pictures are flying."""
        return frozenset(key for key, moving in self._moving.items() if moving.hides)

    def finish(self) -> None:
        """Show the end state of all animations on the days now."""
        for run in (self._turn, *self._runs.values()):
            if run is not None:
                run.finish()

    def turn(self, way: QPoint) -> None:
        """Let the days slide into place, from an offset of ``way``."""
        self.finish()

        def step(progress: float) -> None:
            self._set_shift(QPoint(round(way.x() * (1 - progress)), round(way.y() * (1 - progress))))

        self._turn = motion.play(self._viewport, tokens.TURN, step, lambda: self._set_shift(QPoint()))

    def fly(self, key: str, flight: Flight) -> None:
        """Move a card's picture along its path; the card appears when it lands."""
        size = flight.picture.deviceIndependentSize().toSize()

        def step(progress: float) -> None:
            corner = flight.path(progress)
            opacity = 1 - max(0.0, progress - _LANDS_FROM) / (1 - _LANDS_FROM)

            def paint(painter: QPainter) -> None:
                painter.setOpacity(opacity)
                painter.drawPixmap(corner - QPointF(flight.place.topLeft()), flight.picture)

            area = QRect(corner.toPoint() - flight.place.topLeft(), size).adjusted(-1, -1, 2, 2)
            self._show(key, _Moving(area, paint, hides=progress < _LANDS_FROM))

        self._play(key, flight.timing, step)

    def publish(self, key: str, card: QRect, before: QPixmap, color: QColor) -> None:
        """Fill a card with its account's colour, draw a tick, and fade both out.

        ``card`` and ``before`` are its previous place and look; at the end, the current look is visible.
        """

        def step(progress: float) -> None:
            def paint(painter: QPainter) -> None:
                paint_published(painter, card, before, color, progress)

            self._show(key, _Moving(card, paint, hides=False))

        self._play(key, tokens.PUBLISHED, step, unasked=True)

    def paint(self, painter: QPainter, area: QRect) -> None:
        """Paint the animations in an area of the viewport."""
        for moving in self._moving.values():
            if moving.area.intersects(area):
                painter.save()
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                moving.paint(painter)
                painter.restore()

    def _play(
        self, key: str, timing: tokens.Timing, step: Callable[[float], None], *, unasked: bool = False
    ) -> None:
        if (before := self._runs.pop(key, None)) is not None:
            before.finish()
        run = motion.play(self._viewport, timing, step, lambda: self._end(key), unasked=unasked)
        if run is not None:
            self._runs[key] = run

    def _show(self, key: str, moving: _Moving) -> None:
        before = self._moving.get(key)
        self._moving[key] = moving
        self._viewport.update(moving.area if before is None else moving.area | before.area)

    def _end(self, key: str) -> None:
        self._runs.pop(key, None)
        if (moving := self._moving.pop(key, None)) is not None:
            self._viewport.update(moving.area)

    def _set_shift(self, shift: QPoint) -> None:
        if shift != self.shift:
            self.shift = shift
            self._viewport.update()
            self._shifted()


def straight(start: QPointF, end: QPointF) -> Path:
    """Return the path of a card between two places."""
    return lambda progress: start + (end - start) * progress


def settling(start: QPointF, end: QPointF) -> Path:
    """Return the path of a dropped card, which overshoots a little and comes back."""
    way = end - start
    length = max(1.0, hypot(way.x(), way.y()))
    beyond = way * (tokens.OVERSHOOT_PX / length)

    def path(progress: float) -> QPointF:
        arrived = min(1.0, progress / _LANDS_FROM)
        over = max(0.0, progress - _LANDS_FROM) / (1 - _LANDS_FROM)
        return start + way * (1 - (1 - arrived) ** 3) + beyond * sin(pi * over)

    return path


def shaken(start: QPointF, home: QPointF) -> Path:
    """Return the path of a refused card: it shakes, then flies home."""

    def path(progress: float) -> QPointF:
        if progress < tokens.SHAKE_SHARE:
            turn = progress / tokens.SHAKE_SHARE * tokens.SHAKES
            return start + QPointF(tokens.SHAKE_PX * sin(2 * pi * turn), 0)
        rest = (progress - tokens.SHAKE_SHARE) / (1 - tokens.SHAKE_SHARE)
        return start + (home - start) * (1 - (1 - rest) ** 3)

    return path


def paint_published(painter: QPainter, card: QRect, before: QPixmap, color: QColor, progress: float) -> None:
    """Paint a moment of a post's publication over its card."""
    fill = min(1.0, progress / tokens.FILL_SHARE)
    tick = min(1.0, max(0.0, progress - tokens.FILL_SHARE) / tokens.TICK_SHARE)
    faded = max(0.0, progress - tokens.FILL_SHARE - tokens.TICK_SHARE)
    painter.setOpacity(1 - min(1.0, faded / (1 - tokens.FILL_SHARE - tokens.TICK_SHARE)))
    painter.drawPixmap(card.topLeft(), before)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(translucent(color, _FILL))
    painter.setClipRect(QRectF(card.x(), card.y(), card.width() * fill, card.height()))
    radius = theme.current().metrics.radius_card
    painter.drawRoundedRect(QRectF(card), radius, radius)
    size = min(_LARGEST_TICK, card.height())
    pen = QPen(theme.current().color("on_mark"), max(1.5, size / 10))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    middle = QRectF(card).center()
    corners = [middle + QPointF(x, y) * size for x, y in _TICK]
    for part, (start, end) in enumerate(pairwise(corners)):
        share = min(1.0, max(0.0, tick * 2 - part))
        if share:
            painter.drawLine(start, start + (end - start) * share)
