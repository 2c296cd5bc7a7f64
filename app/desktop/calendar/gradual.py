"""A crowded page shows at once: first where its cards are, then, frame by frame, what they say."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import Box

_AT_ONCE: Final = 110
"""So many new pictures take one frame; a page with more is crowded."""

_NEXT_MS: Final = 4


class Gradual:
    """Says how many pictures a paint event may make, and has the rest painted afterwards."""

    def __init__(self, surface: QWidget) -> None:
        self._surface = surface
        self._goes_on = False
        self._timer = QTimer(surface, singleShot=True, interval=_NEXT_MS)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_complete(self) -> bool:
        """Whether everything that was painted last says what it has to."""
        return not (self._goes_on or self._timer.isActive())

    def begin_anew(self) -> None:
        """Something else shows now."""
        self._goes_on = False
        self._timer.stop()

    def paint(self, page: Page, area: Box, paint: Callable[[], None]) -> None:
        """Paints an area of the page's canvas, as much of it as a frame allows."""
        most = _AT_ONCE if self._goes_on else 0
        page.cells.allow(most if page.missing(area) > _AT_ONCE else None)
        paint()
        self._goes_on = self._goes_on and page.cells.is_behind
        if page.cells.is_behind:
            self._timer.start()
        page.cells.allow(None)

    def _go_on(self) -> None:
        self._goes_on = True
        self._surface.update()
