"""Paints the days around the view ahead of time, while nothing else happens."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QAbstractScrollArea

from app.desktop.calendar.page import Page

_AFTER_MS = 60
"""Started at once it would make every jump slower."""

_SLICE_DAYS = 12


class Prefetch(QObject):
    """Goes on in slices of a few milliseconds until a screen above and below is painted."""

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
        if page is None:
            return
        top, height = self._view.verticalScrollBar().value(), self._view.viewport().height()
        around = page.geometry.days_between(max(0, top - height), top + 2 * height)
        missing = [day for day in around if not page.cells.has_picture(day)]
        for day in missing[:_SLICE_DAYS]:
            if not page.cells.has_room:
                return
            cell = page.geometry.cell(day)
            page.cells.picture(day, cell.width, cell.height, page.ratio)
        if len(missing) > _SLICE_DAYS:
            self._timer.start()
