"""Decides what is painted when: as much as a frame allows, days in advance, and what lies over the days."""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from time import perf_counter
from typing import Final, NamedTuple

from PySide6.QtCore import QObject, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPen, QPixmap, QRegion
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.desktop import motion
from app.desktop.calendar.cards import Ring
from app.desktop.calendar.drag import Drag, TipPainter, tip_place
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page_view import PageView
from app.desktop.calendar.placement import Box
from app.desktop.calendar.selection import Selection
from app.desktop.calendar.tiles import Budget
from app.desktop.motion import tokens
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded, translucent
from app.workspace.posts.planned import PlannedPost

_THIN = 48


def areas_to_paint(region: QRegion) -> list[QRect]:
    """Return few rectangles that cover a region, merging thin neighbours.

    The view's round corners must not be merged with the days above them, because painting clipped to more
    than a rectangle works pixel by pixel.
    """
    found: list[QRect] = []
    for area in region:  # type: ignore[attr-defined]  # PySide supports iteration, its stubs don't
        last = found[-1] if found else QRect()
        both = last | area
        if found and both.height() <= _THIN and area.top() <= last.bottom() + 1:
            found[-1] = both
        else:
            found.append(area)
    return found


_USUAL_HZ: Final = 60.0


class FramePacer:
    """Repaints parts of widgets immediately, but at most once per frame of their screen.

    A mouse reports its position up to a thousand times per second. Painting more often than the screen shows
    is wasted.
    """

    def __init__(self, host: QWidget) -> None:
        self._host = host
        self._waiting: dict[QWidget, QRegion] = {}
        self._last = 0.0
        self._timer = QTimer(host, singleShot=True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._repaint)

    def update(self, widget: QWidget, area: QRect | QRegion) -> None:
        """Repaint an area of a widget, with the next frame at the latest."""
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
            if isValid(widget):  # its page may have been closed since
                widget.update(region)


_AT_ONCE: Final = 110
"""Number of new pictures that fit into a frame; a page that needs more is crowded."""

_SCROLLED: Final = 24
"""Number of new pictures per step of scrolling, of which there are many per second."""

_NEXT_MS: Final = 4
_RESTED_MS: Final = 30
"""Delay after the last step before the rest is painted, in ms; a wheel's notches are further apart."""


class Gradual:
    """Limits the pictures that a paint event makes, and paints the rest afterwards."""

    def __init__(self, view: PageView) -> None:
        self._view = view
        self._behind = QRegion()
        """The part of the canvas that is only sketched."""
        self._goes_on = self._is_scrolled = False
        self._timer = QTimer(view, singleShot=True)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_complete(self) -> bool:
        """Whether the last painted areas are complete."""
        return self._behind.isEmpty() and not self._goes_on

    def restart(self) -> None:
        """Handle a change of page."""
        self._behind = QRegion()
        self._goes_on = self._is_scrolled = False
        self._timer.stop()

    def scroll(self) -> None:
        """Note that the next paint event is for a strip uncovered by scrolling."""
        self._is_scrolled = True

    def paint(self, areas: Iterable[QRect], paint: Callable[[QRect, Budget], None]) -> None:
        """Paint areas of the viewport, as much of each as a frame allows."""
        corner = self._view.offset
        for area in areas:
            budget = Budget(self._allowed(area))
            paint(area, budget)
            on_canvas = area.translated(corner)
            is_behind = budget.is_exceeded
            self._behind = self._behind.united(on_canvas) if is_behind else self._behind.subtracted(on_canvas)
        if not self._behind.isEmpty():
            self._timer.start(_RESTED_MS if self._is_scrolled else _NEXT_MS)
        self._goes_on = self._is_scrolled = False

    def _allowed(self, area: QRect) -> int | None:
        """Return how many pictures may be made for an area of the viewport; None for no limit."""
        if self._is_scrolled:
            return _SCROLLED
        if self._view.page.missing(self._view.on_canvas(area)) <= _AT_ONCE:
            return None
        return _AT_ONCE if self._goes_on else 0

    def _go_on(self) -> None:
        """Continue with what is only sketched and still visible; the paint event notes the rest."""
        viewport = self._view.viewport()
        rest = self._behind.translated(-self._view.offset).intersected(viewport.visibleRegion())
        self._behind = QRegion()
        self._goes_on = not rest.isEmpty()
        viewport.update(rest)


_AFTER_MS = 60
"""Delay before prefetching, in ms. Without it, every jump would be slower."""

_SLICE_DAYS = 12
_SLICE_PICTURES = 80


class Prefetch(QObject):
    """Paints one screen on each side in advance, in slices of a few ms."""

    def __init__(self, view: PageView) -> None:
        super().__init__(view)
        self._view = view
        self._timer = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._timer.timeout.connect(self._paint_slice)

    def begin(self) -> None:
        """Start after a delay; each call restarts the delay."""
        self._timer.start()

    def _paint_slice(self) -> None:
        page, shown = self._view.page, self._view.visible
        if not page.prefetches():
            return
        width, height = shown.width, shown.height
        around = Box(shown.x - width, shown.y - height, 3 * width, 3 * height)
        missing = [day for day in page.geometry.days_in(around) if not page.is_painted(day, around)]
        budget = Budget(_SLICE_PICTURES)
        for day in missing[:_SLICE_DAYS]:
            if page.cells.has_room:
                page.paint_ahead(day, around, budget)
        is_done = len(missing) <= _SLICE_DAYS and not budget.is_exceeded
        if not is_done and page.cells.has_room:
            self._timer.start()


_CHOSEN = Ring("accent", tint=0.08)
"""The tint, close to `accent_soft` on the plain surface; the text of past posts keeps 4.5:1 on it."""
_FOCUSED = Ring("text2")
_LIFTED = 0.18
"""Opacity of the veil over a card that is being dragged, which stays readable."""

_REACH = (-3, -3, 3, 3)
"""How far a ring may extend beyond its card, in pixels."""
_RING_WIDTH = 2


class Marks:
    """Everything above the days: rings, the veil over lifted cards, the rubber band, the target of a drop."""

    def __init__(self, view: PageView, selection: Selection) -> None:
        self.aim: Target | None = None
        """The target of a drag from elsewhere."""
        self.band: QRect | None = None
        """The rubber band, on the viewport."""
        self.ring: Box | None = None
        """A focused rectangle of the canvas that isn't a card."""
        self._hovered: int | None = None
        """The day whose "+n more" is below the pointer."""
        self._view = view
        self._selection = selection

    def aim_at(self, target: Target | None) -> None:
        """Show the target of a drag from elsewhere, or none."""
        before, self.aim = self.aim, target
        if before != target:
            self._view.viewport().update(QRegion(self.place_of(before)) | self.place_of(target))

    def set_band(self, band: QRect | None) -> None:
        """Show the rubber band, or none."""
        dirty = QRegion()
        for area in (self.band, band):
            dirty |= QRegion(area.adjusted(-1, -1, 1, 1)) if area is not None else QRegion()
        self.band = band
        self._view.viewport().update(dirty)

    def show_ring(self, box: Box | None) -> None:
        """Show the focus ring around a rectangle of the canvas, or none."""
        before, self.ring = self.ring, box
        for area in (before, box):
            if area is not None and before != box:
                reach = (-_RING_WIDTH, -_RING_WIDTH, _RING_WIDTH, _RING_WIDTH)
                self._view.viewport().update(self._view.on_viewport(area).adjusted(*reach))

    def hover_more(self, day: int | None) -> None:
        """Show that the pointer is on a day's "+n more", or on none."""
        before, self._hovered = self._hovered, day
        for one in {before, day} - {None} if before != day else ():
            if one is not None and (place := self._view.more_place(one)) is not None:
                self._view.viewport().update(place)

    def place_of(self, target: Target | None) -> QRect:
        """Return the day or the line of a target on the viewport."""
        if target is None:
            return QRect()
        cell = self._view.on_viewport(self._view.page.geometry.cell(target.day))
        if target.minute is None:
            return cell
        line = (self._view.page.line_height(target) or 0) - self._view.verticalOffset()
        return QRect(cell.left(), line - 2, cell.width(), 5)

    def paint(self, painter: QPainter, area: QRect, up: AbstractSet[str]) -> None:
        """Paint an area of the viewport; posts with the keys ``up`` are being dragged or flying."""
        view, chosen = self._view, self._selection.keys
        if self._hovered is not None:
            layout = view.page.cells.layout(self._hovered)
            corner = view.on_viewport(view.page.geometry.cell(self._hovered)).topLeft()
            painter.translate(corner)
            view.page.paint_more(painter, self._hovered, layout, hovered=True)
            painter.translate(-corner)
        if self.aim is not None and (place := self.place_of(self.aim)).intersects(area):
            self.paint_target(painter, self.aim, place, area, "accent")
        current = self._selection.current if view.hasFocus() else None
        marked = chosen | up | ({current} if current else set())
        if marked:
            for box, card in view.page.cards_in(view.on_canvas(area)):
                key = card.post.key
                if key in marked and (place := view.on_viewport(box)).adjusted(*_REACH).intersects(area):
                    self._paint_mark(painter, place, card.post, lifted=key in up, focused=key == current)
        if current is not None and (more := view.more_rect(current)) is not None:
            rounded(painter, QRectF(more), more.height() / 2, line="accent", width=2)
        if self._selection.day is not None and view.hasFocus():
            box = view.page.focus_box(self._selection.day, self._selection.half_hour)
            place = view.on_viewport(box).adjusted(1, 1, -1, -1)
            rounded(painter, QRectF(place), theme.current().metrics.radius_card, line="accent", width=2)
        if self.ring is not None:
            place, radius = view.on_viewport(self.ring), theme.current().metrics.radius_card
            rounded(painter, QRectF(place), radius, line="accent", width=_RING_WIDTH)
        if self.band is not None:
            rounded(painter, QRectF(self.band), 3, line="accent")

    def _paint_mark(
        self, painter: QPainter, area: QRect, post: PlannedPost, *, lifted: bool, focused: bool
    ) -> None:
        radius, place, page = theme.current().metrics.radius_card, QRectF(area), self._view.page
        if lifted:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(translucent(page.color("surface"), _LIFTED))
            painter.drawRoundedRect(place, radius, radius)
            rounded(painter, place, radius, line="text3", dashed=True)
            return
        chosen = self._selection.keys
        box = Box(area.x(), area.y(), area.width(), area.height())
        page.paint_ring(painter, post, box, _CHOSEN if post.key in chosen else _FOCUSED)
        if focused and len(chosen) > 1:
            rounded(painter, place.adjusted(-2, -2, 2, 2), radius + 2, line="accent")

    def paint_target(self, painter: QPainter, target: Target, place: QRect, area: QRect, role: str) -> None:
        """Paint a drag's target at its `place_of`, clipped to ``area``."""
        page = self._view.page
        if target.minute is not None:
            line = QRect(place.left() + 1, place.top() + 1, place.width() - 1, 2)
            painter.fillRect(line, page.color(role))
            return
        page.paint_target(painter, target.day, place, area, f"{role}_soft")
        painter.setPen(QPen(page.color(role), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(place.adjusted(1, 1, -1, -1))


class _Floating(NamedTuple):
    """Rectangles of the viewport; empty if not shown."""

    preview: QRect = QRect()
    tip: QRect = QRect()


class DragLayer:
    """Keeps a picture of the days below a drag, so that a move doesn't repaint them."""

    def __init__(
        self,
        view: PageView,
        frames: FramePacer,
        marks: Marks,
        paint_days: Callable[[QPainter, QRect, Budget], None],
    ) -> None:
        """``paint_days`` paints an area of the viewport without the dragged cards."""
        self._view = view
        self._frames = frames
        self._marks = marks
        self._paint_days = paint_days
        self.drag: Drag | None = None
        self._below: QPixmap | None = None
        self._aim = QRect()
        self._floating = _Floating()
        self._lifted = 1.0
        """How far the cards have been lifted, 0 to 1."""
        self._tips = TipPainter()

    def begin(self, drag: Drag) -> None:
        """Start painting a drag."""
        self.drag = drag
        self.look_again()
        motion.play(self._view.viewport(), tokens.LIFT, self._lift, self._hold)

    def _lift(self, progress: float) -> None:
        self._lifted = progress
        self._frames.update(self._view.viewport(), self._floating.preview)

    def _hold(self) -> None:
        if self._lifted < 1:
            self._lift(1.0)

    def move(self, move: Callable[[Drag], None]) -> bool:
        """Move the drag and repaint what it uncovers and covers; return whether its target changed."""
        drag, left = self.drag, self._floating
        if drag is None:
            return False
        target = drag.target
        move(drag)
        preview, tip = self._floating = self._places(drag)
        # One rectangle, because old and new are so close that painting them separately costs more.
        dirty = left.preview | left.tip | preview | tip
        has_turned = drag.target is not target
        if has_turned:
            left_aim, self._aim = self._aim, self._marks.place_of(drag.target)
            dirty = dirty | left_aim | self._aim
        self._frames.update(self._view.viewport(), dirty)
        return has_turned

    def end(self) -> Drag | None:
        """End the drag and return it."""
        drag, self.drag, self._below = self.drag, None, None
        self._view.viewport().update()
        return drag

    def look_again(self) -> None:
        """Discard the picture of the days, because they changed or scrolled, and place the drag again."""
        if self.drag is not None:
            self.drag.scroll_to(self._view.offset)
            self._floating = self._places(self.drag)
            self._below, self._aim = None, self._marks.place_of(self.drag.target)
            self._view.viewport().update()

    def paint(self, painter: QPainter, drag: Drag, area: QRect) -> None:
        """Paint an area of the viewport: the days, and the drag above them."""
        preview, tip = self._floating
        painter.drawPixmap(0, 0, self._picture())  # Qt clips it to the dirty area
        if drag.target is not None and self._aim.intersects(area):
            role = "bad" if drag.refusal is not None else "accent"
            self._marks.paint_target(painter, drag.target, self._aim, area, role)
        refused = drag.refusal is not None
        if preview.intersects(area):
            drag.preview.paint(painter, preview.x(), preview.y(), self._lifted, refused=refused)
        if tip.intersects(area):
            ratio = self._view.page.ratio
            self._tips.paint(painter, tip.topLeft(), drag.tip, refused=refused, ratio=ratio)

    def _picture(self) -> QPixmap:
        """Return the picture of the days, with the dragged cards marked as lifted."""
        if self._below is None:
            view, ratio = self._view, self._view.devicePixelRatioF()
            area = view.viewport().rect()
            self._below = QPixmap(area.size() * ratio)
            self._below.setDevicePixelRatio(ratio)
            painter = QPainter(self._below)
            painter.setLayoutDirection(view.layoutDirection())
            self._paint_days(painter, area, Budget())
            painter.end()
        return self._below

    def _places(self, drag: Drag) -> _Floating:
        left, top = drag.preview_corner()
        preview = drag.preview.place(left, top)
        if not drag.tip:
            return _Floating(preview)
        size = self._tips.size(drag.tip)
        bottom = top + drag.card_size[1] + drag.preview.drop
        return _Floating(preview, tip_place(left, top, bottom, size, self._view.viewport().size()))
