"""The ring around what else than a card has the focus on the days."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.desktop.calendar.placement import Box
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded

if TYPE_CHECKING:
    from app.desktop.calendar.view import CalendarView

_WIDTH = 2


class FocusRing:
    """Stands still on the canvas of a view when that is scrolled."""

    def __init__(self, view: "CalendarView") -> None:
        self.box: Box | None = None
        self._view = view

    def show(self, box: Box | None) -> None:
        """Goes around a rectangle of the canvas, or away."""
        before, self.box = self.box, box
        for area in (before, box):
            if area is not None and before != box:
                dirty = self._view.on_viewport(area).adjusted(-_WIDTH, -_WIDTH, _WIDTH, _WIDTH)
                self._view.viewport().update(dirty)

    def paint(self, painter: QPainter) -> None:
        """Paints it, where there is one."""
        if self.box is not None:
            place, radius = QRectF(self._view.on_viewport(self.box)), theme.current().metrics.radius_card
            rounded(painter, place, radius, line="accent", width=_WIDTH)
