"""Paints the days around the view ahead of time, while nothing else happens."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QAbstractScrollArea

from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import Box

_AFTER_MS = 60
"""Started at once it would make every jump slower."""

_SLICE_DAYS = 12
_SLICE_PICTURES = 80


class Prefetch(QObject):
    """Goes on in slices of a few milliseconds until a screen on every side is painted."""

    def __init__(self, view: QAbstractScrollArea) -> None:
        super().__init__(view)
        self._view = view
        self._page: Page | None = None
        self._timer = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._timer.timeout.connect(self._paint_slice)

    def begin(self, page: Page) -> None:
        """Begins a moment from now; each call puts it off."""
        self._page = page
        self._timer.start()

    def _paint_slice(self) -> None:
        page = self._page
        if page is None or not page.prefetches():
            return
        around = self._around()
        missing = [day for day in page.geometry.days_in(around) if not page.is_painted(day, around)]
        page.cells.allow(_SLICE_PICTURES)
        for day in missing[:_SLICE_DAYS]:
            if page.cells.has_room:
                page.paint_ahead(day, around)
        is_done = len(missing) <= _SLICE_DAYS and not page.cells.is_behind
        page.cells.allow(None)
        if not is_done and page.cells.has_room:
            self._timer.start()

    def _around(self) -> Box:
        """The part of the canvas that shows, and a screen more on every side."""
        left, top = self._view.horizontalScrollBar().value(), self._view.verticalScrollBar().value()
        width, height = self._view.viewport().width(), self._view.viewport().height()
        return Box(left - width, top - height, 3 * width, 3 * height)
