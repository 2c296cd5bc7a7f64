"""After scrolling to the side the days come to rest on whole columns."""

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QPropertyAnimation, QTimer
from PySide6.QtWidgets import QScrollBar

_AFTER_MS = 160


class ColumnSnap(QObject):
    """Takes a scroll bar to the nearest resting place, a moment after it was moved."""

    def __init__(self, bar: QScrollBar, motion_ms: Callable[[], int]) -> None:
        """``motion_ms`` tells how long a movement takes; 0 where none is wanted."""
        super().__init__(bar)
        self._bar = bar
        self._motion_ms = motion_ms
        self._goal: Callable[[int], int | None] | None = None
        self._moving = QPropertyAnimation(bar, b"value", self)
        self._moving.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._timer = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._timer.timeout.connect(self._come_to_rest)

    def begin(self, goal: Callable[[int], int | None]) -> None:
        """Waits until nothing moves any more; ``goal`` gives the resting place for a value, None: not yet."""
        if self._moving.state() is not QPropertyAnimation.State.Running:
            self._goal = goal
            self._timer.start()

    def stop(self) -> None:
        """Stays where it is."""
        self._timer.stop()
        self._moving.stop()

    def _come_to_rest(self) -> None:
        goal = self._goal(self._bar.value()) if self._goal is not None else self._bar.value()
        if goal is None:
            self._timer.start()
            return
        if goal == self._bar.value():
            return
        self._moving.setDuration(self._motion_ms())
        self._moving.setStartValue(self._bar.value())
        self._moving.setEndValue(goal)
        self._moving.start()
