"""The mouse on the calendar, as one explicit state machine.

idle -press on a card-> pressed -moved far enough-> dragging -release-> dropped
idle -press beside cards-> banding -release-> chosen
Esc ends a drag or a band without a trace.
"""

from enum import Enum

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.drag import Drag
from app.desktop.calendar.edges import EdgeScroll
from app.desktop.calendar.ghost import paint_ghost
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.placement import PlacedCard
from app.desktop.calendar.planner import Planner
from app.desktop.calendar.view import CalendarView

_NONE = Qt.KeyboardModifier.NoModifier


class State(Enum):
    """What the mouse is doing."""

    IDLE = "idle"
    PRESSED = "pressed"
    DRAGGING = "dragging"
    BANDING = "banding"


class Gestures(QObject):
    """Turns mouse events into chosen posts, opened posts, and drops."""

    dropped = Signal(dict)
    """New times by key; emitted only when something would change and nothing is refused."""
    refused = Signal(str)
    """A drop that was refused, and why."""
    opened = Signal(str)
    clicked = Signal(str)
    """A card was clicked once, without modifiers, and not dragged."""
    more_opened = Signal(int)
    slot_opened = Signal(object)
    """The FreeSlot that was clicked."""
    emptied = Signal(QPoint)
    """A double click beside all cards, as a point of the canvas."""
    dragged = Signal(object)
    """The drag whenever it would land elsewhere or moves outside the days, or None when it ended."""

    def __init__(self, view: CalendarView, posts: PostListModel, planner: Planner) -> None:
        super().__init__(view)
        self.state = State.IDLE
        self._view = view
        self._posts = posts
        self._planner = planner
        self._start = QPoint()
        self._anchor = QPoint()
        """Where a band began, on the canvas."""
        self._card: PlacedCard | None = None
        self._before: frozenset[str] = frozenset()
        self._last_move: tuple[QPoint, Qt.KeyboardModifier] | None = None
        self._edges = EdgeScroll(view)
        view.on_press, view.on_move = self._press, self._move
        view.on_release, view.on_double_click = self._release, self._double_click
        view.scrolled.connect(self._follow_scrolling)
        view.installEventFilter(self)

    def cancel(self) -> bool:
        """Ends a drag or a band as if it had not begun; tells whether there was one."""
        if self.state is State.IDLE:
            return False
        if self.state is State.BANDING:
            self._view.set_band(None)
            self._view.selection.choose(self._before)
        self._end_drag()
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ends a drag or a band when window or days are left: its release may never come."""
        if event.type() in (QEvent.Type.WindowDeactivate, QEvent.Type.Hide):
            self.cancel()
        return super().eventFilter(watched, event)

    def _press(self, event: QMouseEvent) -> None:
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
        """The keys of all posts between two in time."""
        if self._posts.get(first) is None:
            return {last}
        rows = sorted((self._posts.row_of(first), self._posts.row_of(last)))
        return {self._posts.post_at(row).key for row in range(rows[0], rows[1] + 1)}

    def _move(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self.state is State.PRESSED and self._is_far(point):
            self._begin_drag()
        if self.state is State.DRAGGING:
            self._drag_to(point, event.modifiers())
        elif self.state is State.BANDING and (self._view.band is not None or self._is_far(point)):
            self._follow(point, event.modifiers())
            self._band_to(point)

    def _follow(self, point: QPoint, modifiers: Qt.KeyboardModifier) -> bool:
        """Remembers where the pointer is, scrolls near an edge; whether it is in the view or hardly out."""
        self._last_move = point, modifiers
        return self._edges.follow(point)

    def _is_far(self, point: QPoint) -> bool:
        return (point - self._start).manhattanLength() >= QApplication.startDragDistance()

    def lift(self, key: str, grip: QPoint, pointer: QPoint) -> bool:
        """Takes up a post that is shown elsewhere, with all that are chosen; false when it is gone.

        ``grip`` is where in it the pointer is, which is at a point of the screen.
        """
        post = self._posts.get(key)
        if post is None:
            return False
        view = self._view
        if key not in view.selection.keys:
            view.selection.choose({key}, key)
        card = view.page.alone(post)
        held = QPoint(min(grip.x(), card.box.width - 1), min(grip.y(), card.box.height - 1))
        point = view.viewport().mapFromGlobal(pointer)
        self._grab(card, point - held, point)
        return True

    def carry(self, pointer: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """Takes what was lifted to a point of the screen."""
        if self.state is State.DRAGGING:
            self._drag_to(self._view.viewport().mapFromGlobal(pointer), modifiers)

    def put_down(self) -> bool:
        """Drops what was lifted where it is; tells whether that moved anything."""
        return self._drop(self._end_drag())

    def _begin_drag(self) -> None:
        if self._card is None:
            return
        found = self._view.page.card_of(self._card.post)
        if found is not None:
            box, card = found
            self._grab(card, self._view.on_viewport(box).topLeft(), self._start)

    def _grab(self, card: PlacedCard, corner: QPoint, pointer: QPoint) -> None:
        """Begins to drag the chosen posts by one's card, which has its corner at a point of the viewport."""
        view = self._view
        if card.post.key not in view.selection.keys:  # Ctrl has left it out before the mouse moved
            view.selection.choose(view.selection.keys | {card.post.key}, card.post.key)
        posts = [post for key in view.selection.keys if (post := self._posts.get(key))]
        posts.sort(key=lambda post: (post.key != card.post.key, post.at, post.key))
        ghost = paint_ghost(view.page, posts, card.box, card.style)
        drag = Drag(view.page, posts, pointer - corner, ghost, (card.box.width, card.box.height))
        drag.pointer = pointer
        self.state = State.DRAGGING
        view.setCursor(Qt.CursorShape.ClosedHandCursor)
        view.begin_drag(drag)

    def _drag_to(self, point: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        held = modifiers != _NONE  # flags are slow to take apart
        fine = held and bool(modifiers & Qt.KeyboardModifier.AltModifier)
        keep = held and bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        inside = self._follow(point, modifiers)
        has_turned = self._view.update_drag(
            lambda drag: drag.move(point, self._planner, inside=inside, fine=fine, keep_time=keep)
        )
        if has_turned or not inside:
            self.dragged.emit(self._view.drag)

    def _follow_scrolling(self) -> None:
        """The pointer stays, the days below it change."""
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
        view.set_band(band)
        view.selection.choose(self._before | inside)

    def _release(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        state = self.state
        if state is State.PRESSED and self._card and not event.modifiers():
            self._view.selection.choose({self._card.post.key}, self._card.post.key)
            self.clicked.emit(self._card.post.key)
        if state is State.BANDING:
            self._open_slot()
            self._view.set_band(None)
        self._drop(self._end_drag())

    def _drop(self, drag: Drag | None) -> bool:
        if drag is not None and drag.refusal is not None:
            self.refused.emit(drag.refusal)
        elif drag is not None and drag.is_worth_dropping:
            self.dropped.emit(drag.times)
            return True
        return False

    def _open_slot(self) -> None:
        """A click beside all cards that drew no band may have meant a free slot."""
        slot = self._view.page.slot_at(self._anchor.x(), self._anchor.y())
        if slot is not None and self._view.band is None:
            self.slot_opened.emit(slot)

    def _end_drag(self) -> Drag | None:
        self.state = State.IDLE
        self._edges.follow(None)
        self._last_move = None
        if self._view.drag is None:
            return None
        self._view.unsetCursor()
        drag = self._view.end_drag()
        self.dragged.emit(None)
        return drag

    def _double_click(self, event: QMouseEvent) -> None:
        canvas = self._view.canvas(event.position().toPoint())
        # The first click may have opened a panel, so that another card is below the pointer now.
        card = self._card or self._view.page.card_at(canvas.x(), canvas.y())
        if card is not None:
            self.opened.emit(card.post.key)
        elif self._view.page.slot_at(canvas.x(), canvas.y()) is None:  # that one a click has opened
            self.emptied.emit(canvas)
