"""A crowded page shows at once: first where its cards are, then, frame by frame, what they say."""

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from PySide6.QtCore import QPoint, QRect, QTimer
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QWidget

from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import Box

_AT_ONCE: Final = 110
"""So many new pictures take one frame; a page with more is crowded."""

_SCROLLED: Final = 24
"""So many a step of scrolling makes: it is one of many in a second."""

_NEXT_MS: Final = 4
_RESTED_MS: Final = 30
"""So long after the last step what came with it is painted whole; a wheel's notches are further apart."""


class Canvas(Protocol):
    """What shows a part of a page."""

    @property
    def page(self) -> Page: ...

    @property
    def offset(self) -> QPoint: ...

    def viewport(self) -> QWidget: ...

    def on_canvas(self, area: QRect) -> Box: ...


class Gradual:
    """Says how many pictures a paint event may make, and has the rest painted afterwards."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._behind = QRegion()
        """The part of the page's canvas that is sketched."""
        self._goes_on = self._is_scrolled = False
        self._timer = QTimer(canvas.viewport(), singleShot=True)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_complete(self) -> bool:
        """Whether everything that was painted last says what it has to."""
        return self._behind.isEmpty() and not self._goes_on

    def begin_anew(self) -> None:
        """Something else shows now."""
        self._behind = QRegion()
        self._goes_on = self._is_scrolled = False
        self._timer.stop()

    def scroll(self) -> None:
        """What is painted next is what scrolling uncovers."""
        self._is_scrolled = True

    def paint(self, areas: Iterable[QRect], paint: Callable[[QRect], None]) -> None:
        """Paints areas of the viewport, as much of each as a frame allows."""
        cells, corner = self._canvas.page.cells, self._canvas.offset
        for area in areas:
            cells.allow(self._allowed(area))
            paint(area)
            on_canvas = area.translated(corner)
            self._behind = (
                self._behind.united(on_canvas) if cells.is_behind else self._behind.subtracted(on_canvas)
            )
        cells.allow(None)
        if not self._behind.isEmpty():
            self._timer.start(_RESTED_MS if self._is_scrolled else _NEXT_MS)
        self._goes_on = self._is_scrolled = False

    def _allowed(self, area: QRect) -> int | None:
        """How many pictures may be made for an area of the viewport; None: all of them."""
        if self._is_scrolled:
            return _SCROLLED
        if self._canvas.page.missing(self._canvas.on_canvas(area)) <= _AT_ONCE:
            return None
        return _AT_ONCE if self._goes_on else 0

    def _go_on(self) -> None:
        """Paints on where something is sketched and still shows; painting tells what of it is left."""
        viewport = self._canvas.viewport()
        rest = self._behind.translated(-self._canvas.offset).intersected(viewport.visibleRegion())
        self._behind = QRegion()
        self._goes_on = not rest.isEmpty()
        viewport.update(rest)
