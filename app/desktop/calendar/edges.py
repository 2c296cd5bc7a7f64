"""Near the edge of the days something that is dragged scrolls them."""

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.view import CalendarView

_EDGE = 28
_SLIP = 20
_STEP = 14
_EVERY_MS = 30
_AFTER_MS = 180
"""So long the pointer rests there first: one that only passes on its way scrolls nothing."""


class EdgeScroll(QObject):
    """Scrolls for as long as the pointer rests near an edge."""

    def __init__(self, view: CalendarView) -> None:
        super().__init__(view)
        self._view = view
        self._step = 0, 0
        self._is_scrolling, self._rests_at = False, QPoint()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._scroll)

    def follow(self, point: QPoint | None) -> bool:
        """The pointer is at a point of the viewport; None: nothing is dragged here any more.

        Gives whether it is in the viewport, or so close that a hand may have slipped.
        """
        self._step = 0, 0
        is_near = False
        if point is not None:
            viewport, x, y = self._view.viewport(), point.x(), point.y()
            width, height = viewport.width(), viewport.height()
            is_near = -_SLIP <= x < width + _SLIP and -_SLIP <= y < height + _SLIP
            self._step = (_towards(x, width), _towards(y, height)) if is_near else (0, 0)
        if self._step == (0, 0):
            self._timer.stop()
            self._is_scrolling = False
        elif point is not None and (not self._timer.isActive() or self._passes(point)):
            self._rests_at = point
            self._timer.start(_AFTER_MS)
        return is_near

    def _passes(self, point: QPoint) -> bool:
        """Whether the pointer is still on its way: it has left the place where it last began to rest."""
        way = (point - self._rests_at).manhattanLength()
        return not self._is_scrolling and way >= QApplication.startDragDistance()

    def _scroll(self) -> None:
        self._is_scrolling = True
        self._timer.setInterval(_EVERY_MS)
        self._view.scroll_to(self._view.offset + QPoint(*self._step))


def _towards(place: int, length: int) -> int:
    """How far a place so near to an edge scrolls."""
    return -_STEP if place < _EDGE else _STEP if place > length - _EDGE else 0
