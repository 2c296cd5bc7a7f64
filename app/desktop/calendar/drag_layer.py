"""What a drag paints over the days: the place where it would land, the ghost, and the words beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPixmap

from app.desktop.calendar.ghost import TipPainter, tip_place
from app.desktop.calendar.overlay import aim_rect, paint_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.desktop.calendar.drag import Drag
    from app.desktop.calendar.view import CalendarView


class _Floating(NamedTuple):
    """Rectangles of the viewport; an empty one for what is not there."""

    ghost: QRect = QRect()
    tip: QRect = QRect()


class DragLayer:
    """Keeps a picture of the days below a drag, so that they are not painted anew at each of its moves."""

    def __init__(self, view: CalendarView) -> None:
        self._view = view
        self.drag: Drag | None = None
        self._below: QPixmap | None = None
        self._aim = QRect()
        self._floating = _Floating()
        self._tips = TipPainter()

    def begin(self, drag: Drag) -> None:
        """From now on it is painted."""
        self.drag = drag
        self.look_again()
        self._floating = self._places(drag)

    def move(self, move: Callable[[Drag], None]) -> bool:
        """Moves the drag and repaints what it leaves and what it covers; whether it would land elsewhere."""
        drag, left = self.drag, self._floating
        if drag is None:
            return False
        target = drag.target
        move(drag)
        ghost, tip = self._floating = self._places(drag)
        # One rectangle: old and new lie so close that painting them apart costs more.
        dirty = left.ghost | left.tip | ghost | tip
        has_turned = drag.target is not target
        if has_turned:
            left_aim, self._aim = self._aim, aim_rect(self._view, drag.target)
            dirty = dirty | left_aim | self._aim
        self._view.frames.update(self._view.viewport(), dirty)
        return has_turned

    def end(self) -> Drag | None:
        """Ends the drag and returns it."""
        drag, self.drag, self._below = self.drag, None, None
        self._view.viewport().update()
        return drag

    def look_again(self) -> None:
        """The days below look different now, or are elsewhere."""
        if self.drag is not None:
            self.drag.scroll_to(self._view.offset)
            self._below, self._aim = None, aim_rect(self._view, self.drag.target)
            self._view.viewport().update()

    def paint(self, painter: QPainter, drag: Drag, area: QRect) -> None:
        """Paints an area of the viewport: the days, and over them the drag."""
        ghost, tip = self._floating
        painter.drawPixmap(0, 0, self._picture())  # Qt cuts it to what is dirty
        if drag.target is not None and self._aim.intersects(area):
            role = "bad" if drag.refusal is not None else "accent"
            paint_target(painter, self._view, drag.target, self._aim, area, role)
        if ghost.intersects(area):
            drag.ghost.paint(painter, ghost.x(), ghost.y())
        if tip.intersects(area):
            refused, ratio = drag.refusal is not None, self._view.page.ratio
            self._tips.paint(painter, tip.topLeft(), drag.tip, refused=refused, ratio=ratio)

    def _picture(self) -> QPixmap:
        """The days, the dragged cards marked as lifted."""
        if self._below is None:
            view, ratio = self._view, self._view.devicePixelRatioF()
            area = view.viewport().rect()
            self._below = QPixmap(area.size() * ratio)
            self._below.setDevicePixelRatio(ratio)
            painter = QPainter(self._below)
            painter.setLayoutDirection(view.layoutDirection())
            view.paint_days(painter, area)
            painter.end()
        return self._below

    def _places(self, drag: Drag) -> _Floating:
        left, top = drag.ghost_corner()
        ghost = drag.ghost.place(left, top)
        if not drag.tip:
            return _Floating(ghost)
        size = self._tips.size(drag.tip)
        bottom = top + drag.card_size[1] + drag.ghost.drop
        return _Floating(ghost, tip_place(left, top, bottom, size, self._view.viewport().size()))
