"""What lies over the days: rings around chosen cards, lifted cards, the rubber band, where a drop lands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.desktop.calendar.cards import Ring
from app.desktop.calendar.placement import Box
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded, translucent

if TYPE_CHECKING:
    from app.desktop.calendar.moves import Target
    from app.desktop.calendar.view import CalendarView
    from app.workspace.posts.planned import PlannedPost

_CHOSEN = Ring("accent", tint=0.11)
"""Over the plain surface the tint is what `accent_soft` is."""
_FOCUSED = Ring("text2")
_LIFTED = 0.18
"""How much of the ground lies over a card while it is carried: it can still be read."""

_RING = (-3, -3, 3, 3)
"""How far a ring may reach beyond its card."""


def paint_marks(painter: QPainter, view: CalendarView, area: QRect) -> None:
    """Where a drop would land, rings around chosen cards, and a veil over those that a drag has lifted."""
    if view.aim is not None and (place := aim_rect(view, view.aim)).intersects(area):
        paint_target(painter, view, view.aim, place, area, "accent")
    lifted = {post.key for post in view.drag.posts} if view.drag else set()
    current = view.selection.current if view.hasFocus() else None
    marked = view.selection.keys | lifted | ({current} if current else set())
    if marked:
        for box, card in view.page.cards_in(view.on_canvas(area)):
            if card.post.key in marked and (place := view.on_viewport(box)).adjusted(*_RING).intersects(area):
                _paint_mark(painter, view, place, card.post, lifted=card.post.key in lifted)
    if current is not None and (more := view.more_rect(current)) is not None:
        rounded(painter, QRectF(more), 4, line="accent", width=2)
    view.ring.paint(painter)
    if view.band is not None:
        rounded(painter, QRectF(view.band), 3, line="accent")


def _paint_mark(
    painter: QPainter, view: CalendarView, area: QRect, post: PlannedPost, *, lifted: bool
) -> None:
    radius, place, key = theme.current().metrics.radius_card, QRectF(area), post.key
    if lifted:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(translucent(view.page.color("surface"), _LIFTED))
        painter.drawRoundedRect(place, radius, radius)
        rounded(painter, place, radius, line="text3", dashed=True)
        return
    view.page.paint_ring(painter, post, _box(area), _CHOSEN if key in view.selection.keys else _FOCUSED)
    has_focus = view.hasFocus() and key == view.selection.current
    if has_focus and len(view.selection.keys) > 1:
        rounded(painter, place.adjusted(-2, -2, 2, 2), radius + 2, line="accent")


def _box(area: QRect) -> Box:
    return Box(area.x(), area.y(), area.width(), area.height())


def aim_rect(view: CalendarView, target: Target | None) -> QRect:
    """The day or the line that a target is shown by, on the viewport."""
    if target is None:
        return QRect()
    cell = view.on_viewport(view.page.geometry.cell(target.day))
    if target.minute is None:
        return cell
    return QRect(cell.left(), _snap_y(view, target) - 2, cell.width(), 5)


def paint_target(
    painter: QPainter, view: CalendarView, target: Target, place: QRect, area: QRect, role: str
) -> None:
    """Paints where a drag would land, at its ``aim_rect``, as far as it lies in ``area``."""
    if target.minute is not None:
        line = QRect(place.left() + 1, place.top() + 1, place.width() - 1, 2)
        painter.fillRect(line, view.page.color(role))
        return
    view.page.paint_target(painter, target.day, place, area, f"{role}_soft")
    painter.setPen(QPen(view.page.color(role), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(1, 1, -1, -1))


def _snap_y(view: CalendarView, target: Target) -> int:
    return (view.page.line_height(target) or 0) - view.verticalOffset()
