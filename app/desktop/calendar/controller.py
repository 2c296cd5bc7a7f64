"""The mouse on the calendar as an explicit state machine, and drops from elsewhere.

idle -press on a card-> pressed -moved far enough-> dragging -release-> dropped
idle -press outside cards-> banding -release-> selected
Esc ends a drag or a band without a trace.
"""

from collections.abc import Callable
from enum import Enum

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop import carried
from app.desktop.calendar.days import LocalDays, day_name
from app.desktop.calendar.drag import WIDEST, Drag, TipPainter, paint_preview, tip_place
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.motion import Path, settling, shaken
from app.desktop.calendar.moves import Target
from app.desktop.calendar.placement import Box, PlacedCard
from app.desktop.calendar.planner import Planner
from app.desktop.calendar.view import CalendarView
from app.desktop.carried import Carried
from app.desktop.motion import tokens
from app.desktop.theme import theme
from app.language import tr, trn

_EDGE = 28
_SLIP = 20
_SCROLL_STEP = 14
_SCROLL_EVERY_MS = 30
_SCROLL_AFTER_MS = 180
"""Delay before scrolling starts, in ms, so that a pointer passing by doesn't scroll."""


class EdgeScroll(QObject):
    """Scrolls while the pointer rests near an edge."""

    def __init__(self, view: CalendarView) -> None:
        super().__init__(view)
        self._view = view
        self._step = 0, 0
        self._is_scrolling, self._rests_at = False, QPoint()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._scroll)

    def follow(self, point: QPoint | None) -> bool:
        """Follow the pointer to a point of the viewport; None when the drag has ended.

        Return whether it's in the viewport, or close enough that the hand may have slipped.
        """
        self._step = 0, 0
        is_near = False
        if point is not None:
            viewport, x, y = self._view.viewport(), point.x(), point.y()
            width, height = viewport.width(), viewport.height()
            is_near = -_SLIP <= x < width + _SLIP and -_SLIP <= y < height + _SLIP
            self._step = (_towards(x, width), _towards(y, height)) if is_near else (0, 0)
        if self._step == (0, 0):
            self._timer.stop()
            self._is_scrolling = False
        elif point is not None and (not self._timer.isActive() or self._passes(point)):
            self._rests_at = point
            self._timer.start(_SCROLL_AFTER_MS)
        return is_near

    def _passes(self, point: QPoint) -> bool:
        """Whether the pointer is still moving: it has left the place where it last rested."""
        way = (point - self._rests_at).manhattanLength()
        return not self._is_scrolling and way >= QApplication.startDragDistance()

    def _scroll(self) -> None:
        self._is_scrolling = True
        self._timer.setInterval(_SCROLL_EVERY_MS)
        self._view.scroll_to(self._view.offset + QPoint(*self._step))


def _towards(place: int, length: int) -> int:
    """Return how far to scroll for a pointer near an edge, in pixels; 0 away from the edges."""
    return -_SCROLL_STEP if place < _EDGE else _SCROLL_STEP if place > length - _EDGE else 0


_NONE = Qt.KeyboardModifier.NoModifier


class State(Enum):
    """What the mouse is doing."""

    IDLE = "idle"
    PRESSED = "pressed"
    DRAGGING = "dragging"
    BANDING = "banding"


class MouseController(QObject):
    """Turns mouse events into selections, opened posts, and drops."""

    dropped = Signal(dict)
    """New times by key; only emitted if something changes and nothing is refused."""
    refused = Signal(str)
    """Why a drop was refused."""
    opened = Signal(str)
    clicked = Signal(str)
    """A card was clicked once, without modifiers, and not dragged."""
    more_opened = Signal(int)
    slot_opened = Signal(object)
    """The FreeSlot that was clicked."""
    emptied = Signal(QPoint)
    """A double click outside all cards, as a point of the canvas."""
    dragged = Signal(object)
    """The drag, when its target changes or it moves outside the days; None when it has ended."""

    def __init__(self, view: CalendarView, posts: PostListModel, planner: Planner) -> None:
        super().__init__(view)
        self.state = State.IDLE
        self._view = view
        self._posts = posts
        self._planner = planner
        self._start = QPoint()
        self._anchor = QPoint()
        """Where a band started, on the canvas."""
        self._card: PlacedCard | None = None
        self._before: frozenset[str] = frozenset()
        self._last_move: tuple[QPoint, Qt.KeyboardModifier] | None = None
        self._edges = EdgeScroll(view)
        view.mouse = self
        view.scrolled.connect(self._follow_scrolling)
        view.installEventFilter(self)
        theme.notifier().changed.connect(self._dress_again)  # after the view, whose cards are new, too

    def cancel(self) -> bool:
        """Cancel a drag or a band without a trace; return whether there was one."""
        if self.state is State.IDLE:
            return False
        if self.state is State.BANDING:
            self._view.marks.set_band(None)
            self._view.selection.choose(self._before)
        self._end_drag()
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Cancel a drag or a band when the window or the days are left: the release may never arrive."""
        if event.type() in (QEvent.Type.WindowDeactivate, QEvent.Type.Hide):
            self.cancel()
        return super().eventFilter(watched, event)

    def press(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._start = event.position().toPoint()
        canvas = self._view.canvas(self._start)
        self._card = None
        if (day := self._view.page.more_at(canvas.x(), canvas.y())) is not None:
            self.more_opened.emit(day)
            return
        self._card = self._view.page.card_at(canvas.x(), canvas.y())
        adding = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        self._before = self._view.selection.keys if adding else frozenset()
        if self._card is None:
            self.state = State.BANDING
            self._anchor = canvas
            self._view.selection.choose(self._before)
            return
        self.state = State.PRESSED
        self._choose(self._card.post.key, event.modifiers())

    def _choose(self, key: str, modifiers: Qt.KeyboardModifier) -> None:
        selection = self._view.selection
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            selection.toggle(key)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier and selection.current:
            selection.choose(self._range(selection.current, key), key)
        elif key not in selection.keys:
            selection.choose({key}, key)
        else:
            selection.choose(selection.keys, key)

    def _range(self, first: str, last: str) -> set[str]:
        """Return the keys of all posts between two, by time."""
        if self._posts.get(first) is None:
            return {last}
        rows = sorted((self._posts.row_of(first), self._posts.row_of(last)))
        return {self._posts.post_at(row).key for row in range(rows[0], rows[1] + 1)}

    def move(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self.state is State.PRESSED and self._is_far(point):
            self._begin_drag()
        if self.state is State.DRAGGING:
            self._drag_to(point, event.modifiers())
        elif self.state is State.BANDING and (self._view.marks.band is not None or self._is_far(point)):
            self._follow(point, event.modifiers())
            self._band_to(point)

    def _follow(self, point: QPoint, modifiers: Qt.KeyboardModifier) -> bool:
        """Remember the pointer and scroll near an edge; return whether it's in or close to the view."""
        self._last_move = point, modifiers
        return self._edges.follow(point)

    def _is_far(self, point: QPoint) -> bool:
        return (point - self._start).manhattanLength() >= QApplication.startDragDistance()

    def lift(self, key: str, grip: QPoint, pointer: QPoint) -> bool:
        """Lift a post that is shown elsewhere, with all selected ones; return False if it no longer exists.

        ``grip`` is the pointer's position in it; ``pointer`` is on the screen.
        """
        post = self._posts.get(key)
        if post is None:
            return False
        view = self._view
        if key not in view.selection.keys:
            view.selection.choose({key}, key)
        self._grab(view.page.alone(post), grip, view.viewport().mapFromGlobal(pointer))
        return True

    def carry(self, pointer: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """Move the lifted posts to a point of the screen."""
        if self.state is State.DRAGGING:
            self._drag_to(self._view.viewport().mapFromGlobal(pointer), modifiers)

    def put_down(self) -> bool:
        """Drop the lifted posts; return whether that moved anything."""
        return self._drop(self._end_drag())

    def _begin_drag(self) -> None:
        if self._card is None:
            return
        found = self._view.page.card_of(self._card.post)
        if found is not None:
            box, card = found
            self._grab(card, self._start - self._view.on_viewport(box).topLeft(), self._start)

    def _grab(self, card: PlacedCard, grip: QPoint, pointer: QPoint) -> None:
        """Start dragging the selected posts by a point of one's card; the pointer is on the viewport."""
        view, box = self._view, _dragged_box(card)
        held = QPoint(min(grip.x(), box.width - 1), min(grip.y(), box.height - 1))
        if card.post.key not in view.selection.keys:  # Ctrl deselected it before the mouse moved
            view.selection.choose(view.selection.keys | {card.post.key}, card.post.key)
        posts = [post for key in view.selection.keys if (post := self._posts.get(key))]
        posts.sort(key=lambda post: (post.key != card.post.key, post.at, post.key))
        preview = paint_preview(view.page, self._posts.leads(posts), box, card.style)
        drag = Drag(view.page, posts, held, preview, (box.width, box.height))
        drag.pointer = pointer
        self.state = State.DRAGGING
        view.setCursor(Qt.CursorShape.ClosedHandCursor)
        view.layer.begin(drag)

    def _dress_again(self) -> None:
        """Paint the preview of a drag again after theme or text size changed."""
        view, drag = self._view, self._view.drag
        if drag is None:
            return
        found = view.page.card_of(drag.grabbed)
        card = found[1] if found else view.page.alone(drag.grabbed)
        box, (width, height) = _dragged_box(card), drag.card_size
        grip = QPoint(drag.grip.x() * box.width // width, drag.grip.y() * box.height // height)
        preview = paint_preview(view.page, self._posts.leads(drag.posts), box, card.style)
        drag.dress(preview, grip, (box.width, box.height))
        view.layer.look_again()
        self._follow_scrolling()

    def _drag_to(self, point: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        held = modifiers != _NONE  # testing Qt's flags is slow, and this runs at every move
        fine = held and bool(modifiers & Qt.KeyboardModifier.AltModifier)
        keep = held and bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        inside = self._follow(point, modifiers)
        has_turned = self._view.layer.move(
            lambda drag: drag.move(point, self._planner, inside=inside, fine=fine, keep_time=keep)
        )
        if has_turned or not inside:
            self.dragged.emit(self._view.drag)

    def _follow_scrolling(self) -> None:
        """Update the drag: the pointer stays while the days below it move."""
        if self._last_move is None:
            return
        if self.state is State.DRAGGING:
            self._drag_to(*self._last_move)
        elif self.state is State.BANDING:
            self._band_to(self._last_move[0])

    def _band_to(self, point: QPoint) -> None:
        view = self._view
        band = QRect(self._anchor - view.offset, point).normalized()
        inside = {
            card.post.key
            for box, card in view.page.cards_in(view.on_canvas(band))
            if view.on_viewport(box).intersects(band)
        }
        view.marks.set_band(band)
        view.selection.choose(self._before | inside)

    def release(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        state = self.state
        if state is State.PRESSED and self._card and not event.modifiers():
            self._view.selection.choose({self._card.post.key}, self._card.post.key)
            self.clicked.emit(self._card.post.key)
        if state is State.BANDING:
            self._open_slot()
            self._view.marks.set_band(None)
        self._drop(self._end_drag())

    def _drop(self, drag: Drag | None) -> bool:
        if drag is not None and drag.refusal is not None:
            self._fly(drag, shaken, tokens.REFUSED)
            self.refused.emit(drag.refusal)
        elif drag is not None and drag.is_worth_dropping:
            self.dropped.emit(drag.times)
            self._fly(drag, settling, tokens.SETTLE)
            return True
        return False

    def _fly(self, drag: Drag, path: Callable[[QPointF, QPointF], Path], timing: tokens.Timing) -> None:
        """Move the dropped picture to where the grabbed card is now, or to the "+n" that counts it."""
        post = self._posts.get(drag.grabbed.key)
        found = self._view.page.card_of(post) if post is not None else None
        goal = self._view.on_viewport(found[0]) if found else self._view.more_rect(drag.grabbed.key)
        if goal is not None:
            way = path(QPointF(*drag.preview_corner()), QPointF(goal.topLeft()))
            self._view.motion.fly(drag.grabbed.key, drag.flight(way, timing))

    def _open_slot(self) -> None:
        """Open the free slot below a click outside all cards that didn't draw a band."""
        slot = self._view.page.slot_at(self._anchor.x(), self._anchor.y())
        if slot is not None and self._view.marks.band is None:
            self.slot_opened.emit(slot)

    def _end_drag(self) -> Drag | None:
        self.state = State.IDLE
        self._edges.follow(None)
        self._last_move = None
        if self._view.drag is None:
            return None
        self._view.unsetCursor()
        drag = self._view.layer.end()
        self.dragged.emit(None)
        return drag

    def double_click(self, event: QMouseEvent) -> None:
        canvas = self._view.canvas(event.position().toPoint())
        # The first click may have opened a panel, which moved another card below the pointer.
        card = self._card or self._view.page.card_at(canvas.x(), canvas.y())
        if card is not None:
            self.opened.emit(card.post.key)
        elif self._view.page.slot_at(canvas.x(), canvas.y()) is None:  # the first click opened that one
            self.emptied.emit(canvas)


def _dragged_box(card: PlacedCard) -> Box:
    """Return a card's box, at most as wide as a dragged card."""
    return card.box._replace(width=min(card.box.width, theme.current().grown(WIDEST)))


_HAND = 22
"""Height of a pointer; the tooltip is shown below it."""

TimeAt = Callable[[Target], int | None]


class Drops(QObject):
    """Shows where a drop from elsewhere would land and what it would do, and passes it on.

    ``time_at`` returns the time of a target in ms since 1970 UTC, or None for a past day.
    """

    dropped = Signal(object, object)
    """The Carried, and the Target."""
    aimed = Signal(object)
    """The Target below the pointer, or None."""

    def __init__(self, view: CalendarView, days: LocalDays, time_at: TimeAt) -> None:
        super().__init__(view)
        self._view = view
        self._days = days
        self._time_at = time_at
        self._carried = Carried()
        self._point, self._is_fine = QPoint(), False
        self._tip = DropTip(view)
        self._edges = EdgeScroll(view)
        view.viewport().setAcceptDrops(True)
        view.drops = self
        view.scrolled.connect(self._follow_scrolling)

    def enter(self, event: QDragEnterEvent) -> None:
        """Handle a drag entering the days. Its data is read once; Qt would fetch it at each move."""
        self._carried = carried.read(event.mimeData())
        self.over(event)

    def over(self, event: QDropEvent) -> None:
        """Handle a move of the drag."""
        self._look(event)
        target = self._target() if self._carried else None
        self._edges.follow(self._point if self._carried else None)
        self._aim(target)
        _answer(event, taken=target is not None)

    def drop(self, event: QDropEvent) -> None:
        """Handle the drop."""
        self._look(event)
        target, dropped = self._target(), self._carried
        self.leave()
        taken = target is not None and bool(dropped)
        _answer(event, taken=taken)
        if taken:
            self.dropped.emit(dropped, target)

    def _look(self, event: QDropEvent) -> None:
        self._point = event.position().toPoint()
        self._is_fine = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)

    def leave(self) -> None:
        """Handle the drag leaving."""
        self._carried = Carried()
        self._edges.follow(None)
        self._aim(None)

    def _follow_scrolling(self) -> None:
        """Update the drag: the pointer stays while the days below it move."""
        if self._carried:
            self._aim(self._target())

    def _target(self) -> Target | None:
        point = self._view.canvas(self._point)
        return self._view.page.target(point.x(), point.y(), fine=self._is_fine, keep_time=False)

    def _aim(self, target: Target | None) -> None:
        self._view.marks.aim_at(target)
        self._tip.tell(self._words(target) if target is not None else "", self._point)
        self.aimed.emit(target)

    def _words(self, target: Target) -> str:
        at = self._time_at(target)
        day = day_name(target.day if at is None else self._days.place(at).day)
        if at is None:
            return tr("{what} · {day} has passed, so no time is set", what=self._what(), day=day)
        begins = tr("from {day}", day=day) if self._carried.count > 1 else day
        return f"{self._what()} · {begins} · {self._days.clock(at)}"

    def _what(self) -> str:
        count = self._carried.count
        if self._carried.drafts:
            return trn("{n} draft", "{n} drafts", count) if count > 1 else tr("Draft")
        return trn("{n} file", "{n} files", count) if count > 1 else tr("New post")


class DropTip(QWidget):
    """The tooltip of a drag from elsewhere."""

    def __init__(self, view: CalendarView) -> None:
        super().__init__(view)
        self._view = view
        self._painter = TipPainter()
        self.words = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def tell(self, words: str, pointer: QPoint) -> None:
        """Show text below a point of the viewport; hide the tooltip if it's empty."""
        self.words = words
        self.setVisible(bool(words))
        if words:
            viewport = self._view.viewport()
            left, top = pointer.x() + _HAND // 2, pointer.y()
            place = tip_place(left, top, top + _HAND, self._painter.size(words), viewport.size())
            self.setGeometry(place.translated(viewport.pos()))
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        ratio = self._view.page.ratio
        self._painter.paint(QPainter(self), QPoint(), self.words, refused=False, ratio=ratio)


def _answer(event: QDropEvent, *, taken: bool) -> None:
    if taken:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
    else:
        event.ignore()
