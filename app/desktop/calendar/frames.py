"""Repainting at the pace of the screen."""

from time import perf_counter
from typing import Final

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QWidget

_USUAL_HZ: Final = 60.0


class FramePacer:
    """Repaints parts of widgets at once, but no more than once a frame of their screen.

    A mouse tells where it is up to a thousand times a second; what is painted more often than the screen
    shows nobody sees.
    """

    def __init__(self, host: QWidget) -> None:
        self._host = host
        self._waiting: dict[QWidget, QRegion] = {}
        self._last = 0.0
        self._timer = QTimer(host, singleShot=True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._repaint)

    def update(self, widget: QWidget, area: QRect | QRegion) -> None:
        """Has an area of a widget painted, soon at the latest."""
        before = self._waiting.get(widget)
        self._waiting[widget] = QRegion(area) if before is None else before.united(area)
        if self._timer.isActive():
            return
        rest_s = self._last + 1 / (self._host.screen().refreshRate() or _USUAL_HZ) - perf_counter()
        if rest_s <= 0:
            self._repaint()
        else:
            self._timer.start(int(rest_s * 1_000) + 1)

    def _repaint(self) -> None:
        waiting, self._waiting = self._waiting, {}
        self._last = perf_counter()
        for widget, region in waiting.items():
            widget.update(region)
