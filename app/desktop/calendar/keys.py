"""The keyboard on the calendar: everything that the mouse can do."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.desktop.calendar import moves
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.gestures import Gestures
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.planner import Planner
from app.desktop.calendar.view import CalendarView
from app.workspace.posts.planned import PlannedPost

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_ALT = Qt.KeyboardModifier.AltModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_NONE = Qt.KeyboardModifier.NoModifier


class Keys(QObject):
    """Arrows walk, Alt and arrows move, Enter opens, Del cancels, Esc lets go."""

    moved = Signal(dict)
    refused = Signal(str)
    opened = Signal(str)
    more_opened = Signal(int)
    """The day of the current post, which is behind "+n more"."""
    cancelled = Signal(object)
    walked = Signal(int)
    """The day of the post that the keyboard is at now, before it is scrolled into view."""
    letter = Signal(str)
    """A letter that stands for a command: m, w, d, a, t, g, n, or page-up and page-down as < and >."""

    def __init__(
        self, view: CalendarView, posts: PostListModel, days: LocalDays, planner: Planner, gestures: Gestures
    ) -> None:
        super().__init__(view)
        self.by_hours = False
        self._view = view
        self._posts = posts
        self._days = days
        self._planner = planner
        self._gestures = gestures
        view.on_key = self.press

    def press(self, event: QKeyEvent) -> bool:
        """Handles a key; False when it means nothing here."""
        key = Qt.Key(event.key())
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in _ARROWS and modifiers == _ALT:
            return self._move(*_ARROWS[key])
        if key in _ARROWS and modifiers in (_NONE, _SHIFT):
            return self._walk(*_ARROWS[key], extend=modifiers == _SHIFT)
        if event.matches(QKeySequence.StandardKey.SelectAll):
            self._view.selectAll()
            return True
        if modifiers != _NONE:
            return False
        return self._command(key, event.text())

    def _command(self, key: Qt.Key, text: str) -> bool:
        selection = self._view.selection
        if key is Qt.Key.Key_Escape:
            return self._gestures.cancel() or self._let_go()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and selection.current:
            self._open(selection.current)
        elif key is Qt.Key.Key_Delete and selection.keys:
            self.cancelled.emit(selection.keys)
        elif key is Qt.Key.Key_Space and selection.current:
            selection.toggle(selection.current)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.letter.emit("<" if key is Qt.Key.Key_PageUp else ">")
        elif text.lower() in tuple("mwdatgn"):
            self.letter.emit(text.lower())
        else:
            return False
        return True

    def _let_go(self) -> bool:
        selection = self._view.selection
        had_any = bool(selection.keys)
        selection.choose((), selection.current)
        return had_any

    def _open(self, key: str) -> None:
        post = self._posts.get(key)
        if post is not None and self._view.more_rect(key) is not None:
            self.more_opened.emit(self._days.place(post.at).day)
        elif post is not None:
            self.opened.emit(key)

    def _move(self, right: int, down: int) -> bool:
        posts = self._chosen()
        if not posts:
            return True
        if self.by_hours and down:
            landings = moves.step(self._days, posts, down)
        else:
            landings = moves.by_days(self._days, posts, right + 7 * down)
        times = moves.times(landings)
        refusals = (self._planner.refusal(key, at) for key, at in times.items())
        refusal = next((reason for reason in refusals if reason), None)
        if refusal is not None:
            self.refused.emit(refusal)
        else:
            self.moved.emit(times)
            self._show(posts[0].key)
        return True

    def _chosen(self) -> list[PlannedPost]:
        """The chosen posts, the current one first."""
        selection = self._view.selection
        keys = selection.keys or ({selection.current} if selection.current else set())
        posts = [post for key in keys if (post := self._posts.get(key))]
        return sorted(posts, key=lambda post: (post.key != selection.current, post.at))

    def _walk(self, right: int, down: int, *, extend: bool) -> bool:
        following = self._neighbour(right, down)
        if following is None:
            return True
        selection = self._view.selection
        selection.choose(selection.keys | {following.key} if extend else {following.key}, following.key)
        self._show(following.key)
        return True

    def _neighbour(self, right: int, down: int) -> PlannedPost | None:
        """Up and down walk the posts in the order of time, left and right the days that have any."""
        current = self._posts.get(self._view.selection.current or "")
        if current is None:
            return self._first_visible()
        row = self._posts.row_of(current.key)
        if down:
            row += down
            return self._posts.post_at(row) if 0 <= row < self._posts.rowCount() else None
        day, minute = self._days.place(current.at)
        edge = self._days.instant(day + (1 if right > 0 else 0), 0)
        row = self._posts.first_row_from(edge) - (0 if right > 0 else 1)
        if not 0 <= row < self._posts.rowCount():
            return None
        day = self._days.place(self._posts.post_at(row).at).day
        return min(self._posts.on_day(day), key=lambda post: abs(self._days.place(post.at).minute - minute))

    def _first_visible(self) -> PlannedPost | None:
        shown = self._view.visible
        posts = [card.post for box, card in self._view.page.cards_in(shown) if box.y >= shown.y]
        return min(posts, key=lambda post: (post.at < self._view.page.now, post.at), default=None)

    def _show(self, key: str) -> None:
        post = self._posts.get(key)
        if post is not None:
            self.walked.emit(self._days.place(post.at).day)
            self._view.scrollTo(self._posts.index(self._posts.row_of(key)))
