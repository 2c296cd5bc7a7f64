"""The keyboard on the calendar: everything that the mouse can do."""

from collections.abc import Callable, Mapping
from datetime import date
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.desktop.calendar import moves
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.geometry import within_weeks
from app.desktop.calendar.half_hours import HalfHours
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.moves import Target
from app.desktop.calendar.planner import Planner
from app.desktop.calendar.view import CalendarView
from app.desktop.commands import Command
from app.desktop.widgets import announce
from app.desktop.words import day_and_time, day_long
from app.language import tr, trn
from app.workspace.clock import from_millis
from app.workspace.posts.planned import PlannedPost

_WAYS = {"Left": (-1, 0), "Right": (1, 0), "Up": (0, -1), "Down": (0, 1)}
_GROUP = tr("Selected posts")


class Keys(QObject):
    """Arrow keys navigate, Alt and arrows move, Enter opens, Del cancels, Esc deselects.

    Among hours, Up and Down stop at every half hour; with Ctrl, they go from post to post.
    """

    moved = Signal(dict)
    refused = Signal(str)
    opened = Signal(str)
    more_opened = Signal(int)
    """The day of the current post, which is behind "+n more"."""
    cancelled = Signal(object)
    duplicated = Signal(object)
    resumed = Signal(object)
    """Posts whose cancelled ones the user wants to schedule again."""
    day_opened = Signal(object)
    """The Target, an empty day or half hour, at which the user wants to start a post."""
    walked = Signal(int)
    """The day that is now current, before it's scrolled into view."""

    def __init__(
        self,
        view: CalendarView,
        posts: PostListModel,
        days: LocalDays,
        planner: Planner,
        cancel_drag: Callable[[], bool],
    ) -> None:
        """``cancel_drag`` ends a drag or a rubber band, and returns whether there was one."""
        super().__init__(view)
        self.by_hours = False
        self._view = view
        self._posts = posts
        self._days = days
        self._planner = planner
        self._cancel_drag = cancel_drag
        self._half_hours = HalfHours(posts, days)

    def commands(self) -> list[Command]:
        """Return the commands for posts on the days."""
        return [
            *self._walks(tr("Move between days and posts"), "", extend=False),
            *self._walks(tr("Extend the selection"), "Shift+", extend=True),
            *self._jumps(),
            self.opening(),
            *self.splitting(),
            *self.actions(),
            Command(
                tr("Show the menu"),
                _GROUP,
                self._view.show_menu,
                focus_keys=("Shift+F10", "Menu"),
                enabled=self._is_at_one,
                listed=False,
            ),
            Command(
                tr("Select or deselect"),
                _GROUP,
                self._toggle,
                focus_keys=("Space",),
                enabled=self._is_at_one,
                listed=False,
            ),
            Command(
                tr("Select all visible posts"),
                _GROUP,
                self._view.selectAll,
                focus_keys=("Ctrl+A",),
                icon="list",
                words=tr("select all"),
            ),
            Command(tr("Clear the selection"), _GROUP, self._let_go, focus_keys=("Esc",), listed=False),
        ]

    def opening(self) -> Command:
        """Return the command that opens the current post, or starts one on an empty day."""
        return Command(
            tr("Open post"),
            _GROUP,
            self._open,
            focus_keys=("Return", "Enter"),
            enabled=lambda: self._is_at_one() or self._view.selection.day is not None,
        )

    def splitting(self) -> list[Command]:
        """Return the commands that show the posts of one idea separately, and as one card again."""
        return [
            Command(
                tr("Show each account separately"),
                _GROUP,
                self._set_apart,
                focus_keys=("E",),
                icon="list",
                words=tr("expand group idea ungroup"),
                enabled=lambda: (post := self._current()) is not None and self._posts.can_set_apart(post),
            ),
            Command(
                tr("Show all accounts as one card"),
                _GROUP,
                self._bring_together,
                focus_keys=("Shift+E",),
                icon="link",
                words=tr("collapse group idea"),
                enabled=lambda: (post := self._current()) is not None and self._posts.is_apart(post),
            ),
        ]

    def actions(self) -> list[Command]:
        """Return the commands that change the selected posts."""
        return [
            *self.moving(),
            Command(
                tr("Duplicate posts"),
                _GROUP,
                self.duplicate,
                focus_keys=("Ctrl+D",),
                icon="copy",
                words=tr("copy again"),
                enabled=self._has_chosen,
            ),
            Command(
                tr("Cancel posts"),
                _GROUP,
                lambda: self.cancelled.emit(self._view.selection.keys),
                focus_keys=("Del",),
                icon="ban",
                words=tr("delete remove"),
                enabled=lambda: bool(self._view.selection.keys),
            ),
            Command(
                tr("Schedule cancelled posts again"),
                _GROUP,
                lambda: self.resumed.emit(moves.staying(self.chosen())),
                focus_keys=("Shift+R",),
                icon="calendar-check",
                words=tr("resume restore bring back"),
                enabled=lambda: bool(moves.staying(self.chosen())),
            ),
        ]

    def duplicate(self) -> None:
        """Request copies of the selected posts."""
        self.duplicated.emit([post.key for post in self.chosen()])

    def _walks(self, name: str, held: str, *, extend: bool) -> list[Command]:
        def walk(right: int, down: int) -> Callable[[], object]:
            return lambda: self._walk(right, down, extend=extend)

        return [
            Command(name, _GROUP, walk(*way), focus_keys=(f"{held}{key}",), listed=False)
            for key, way in _WAYS.items()
        ]

    def _jumps(self) -> list[Command]:
        """Return the commands that go from post to post among hours."""
        return [
            Command(
                name,
                _GROUP,
                partial(self._go_to_post, down),
                focus_keys=(key,),
                icon="list",
                enabled=lambda: self.by_hours,
            )
            for name, key, down in (
                (tr("Previous post"), "Ctrl+Up", -1),
                (tr("Next post"), "Ctrl+Down", 1),
            )
        ]

    def moving(self) -> list[Command]:
        """Return the commands that move the selected posts."""

        def move(name: str, key: str) -> Command:
            way = _WAYS[key]
            return Command(
                name,
                _GROUP,
                lambda: self._move(*way),
                focus_keys=(f"Alt+{key}",),
                icon="calendar-clock",
                words=tr("postpone reschedule"),
                enabled=self._has_chosen,
            )

        return [
            move(tr("Move a day earlier"), "Left"),
            move(tr("Move a day later"), "Right"),
            move(tr("Move a week or a slot earlier"), "Up"),
            move(tr("Move a week or a slot later"), "Down"),
        ]

    def _is_at_one(self) -> bool:
        return self._view.selection.current is not None

    def _has_chosen(self) -> bool:
        return bool(self._view.selection.chosen)

    def _current(self) -> PlannedPost | None:
        return self._posts.get(self._view.selection.current or "")

    def _set_apart(self) -> None:
        if (post := self._current()) is not None:
            count = self._posts.count([post])
            self._posts.set_apart(post)
            self._view.selection.choose({post.key}, post.key)
            announce(
                self._view, trn("{n} post, each on its own card", "{n} posts, each on its own card", count)
            )

    def _bring_together(self) -> None:
        if (post := self._current()) is not None:
            self._posts.bring_together(post)
            self._view.selection.choose({post.key}, post.key)
            count = self._posts.count([post])
            announce(self._view, trn("{n} post on one card", "{n} posts on one card", count))

    def _toggle(self) -> None:
        if current := self._view.selection.current:
            self._view.selection.toggle(current)

    def _let_go(self) -> bool:
        if self._cancel_drag():
            return True
        selection = self._view.selection
        had_any = bool(selection.keys)
        selection.choose((), selection.current)
        return had_any

    def _open(self) -> None:
        key, empty = self._view.selection.current, self.focused_target()
        if empty is not None:
            self.day_opened.emit(empty)
            return
        post = self._posts.get(key) if key else None
        if post is not None and self._view.more_rect(post.key) is not None:
            self.more_opened.emit(self._days.place(post.at).day)
        elif post is not None:
            self.opened.emit(post.key)

    def _move(self, right: int, down: int) -> None:
        posts = self.chosen()
        if not posts:
            return
        if self.by_hours and down:
            landings = moves.step(self._days, posts, down)
        else:
            landings = moves.by_days(self._days, posts, right + 7 * down)
        times = moves.times(landings)
        refusal = moves.refusal(self._planner, posts, times)
        if refusal is not None:
            self.refused.emit(refusal)
        else:
            self.move_to(times)

    def move_to(self, times: Mapping[str, int]) -> None:
        """Move selected posts to times (ms by key), follow the first one, and announce it."""
        moving = [post.key for post in self.chosen() if post.key in times]
        if moving:
            self.moved.emit(dict(times))
            self._show(moving[0])
            self._announce_move(moving[0], times)

    def _announce_move(self, first: str, times: Mapping[str, int]) -> None:
        count = len(times)
        moved = self._posts.get(first)
        if moved is None or moved.at != times.get(first):
            return  # a message says why
        when = day_and_time(from_millis(moved.at).astimezone(self._days.zone))
        one = tr("Moved to {when}.", when=when)
        text = one if count == 1 else tr("{n} posts moved, the first to {when}.", n=count, when=when)
        announce(self._view, text)

    def chosen(self) -> list[PlannedPost]:
        """The posts that commands change, the current one first."""
        selection = self._view.selection
        posts = [post for key in selection.chosen if (post := self._posts.get(key))]
        return sorted(posts, key=lambda post: (post.key != selection.current, post.at))

    def _walk(self, right: int, down: int, *, extend: bool) -> None:
        if not extend and self._walk_half_hours(right, down):
            return
        if right and not extend and (day := self._day_beside(right)) is not None:
            self._go_to_day(day)
            return
        self._go_to(self._neighbour(right, down), extend=extend)

    def _go_to_post(self, down: int) -> None:
        self._go_to(self._neighbour(0, down))

    def _go_to(self, post: PlannedPost | None, *, extend: bool = False) -> None:
        if post is not None:
            selection = self._view.selection
            selection.choose(selection.keys | {post.key} if extend else {post.key}, post.key)
            self._show(post.key)

    def _walk_half_hours(self, right: int, down: int) -> bool:
        """Go to the next stop among hours; return False if there's no place to start from."""
        selection = self._view.selection
        days = list(self._view.page.geometry.days_in(self._view.visible)) if self.by_hours else []
        current = self._posts.get(selection.current or "")
        if current is not None and down and self._days.day_of(current.at) in days:
            stop = self._half_hours.after(current, down)
        elif selection.half_hour is not None and selection.day in days:
            stop = self._half_hours.beside(selection.half_hour, right, down)
        elif down and selection.day is not None and selection.day in days:
            stop = self._half_hours.first_of(selection.day)
        else:
            return False
        if isinstance(stop, PlannedPost):
            self._go_to(stop)
        else:
            self._go_to_day(self._days.day_of(stop), stop)
        return True

    def _day_beside(self, right: int) -> int | None:
        """Return the empty day that an arrow leads to; None if it leads to a post, or to an invalid date."""
        selection, page = self._view.selection, self._view.page
        if not page.has_empty_days:
            return None
        current = self._posts.get(selection.current or "")
        at = self._days.day_of(current.at) if current else selection.day
        days = list(page.geometry.days_in(self._view.visible))
        if at in days:
            day = within_weeks(at + right)
        elif self._first_visible() is None and days:
            day = self._days.today() if self._days.today() in days else days[0]
        else:
            return None
        return None if self._posts.on_day(day) else day

    def _go_to_day(self, day: int, half_hour: int | None = None) -> None:
        self._view.selection.go_to_day(day, half_hour)
        self.walked.emit(day)
        self._view.show_day(day, half_hour)
        name = day_long(date.fromordinal(day))
        if half_hour is not None:
            name = f"{name}, {self._days.clock(half_hour)}"
        announce(self._view, tr("{day}, no posts", day=name))

    def focused_target(self) -> Target | None:
        """Return the empty day or half hour that the keyboard is on; None if it's on a post."""
        day, half_hour = self._view.selection.day, self._view.selection.half_hour
        if day is None or half_hour is None:
            return None if day is None else Target(day, None)
        minute = self._days.place(half_hour).minute
        return Target(day, minute, again=self._days.comes_again(half_hour))

    def _neighbour(self, right: int, down: int) -> PlannedPost | None:
        """Return the next post: by time for Up and Down, by day with posts for Left and Right.

        If the current post isn't visible, start with the visible ones.
        """
        selection = self._view.selection
        current = self._posts.get(selection.current or "")
        days = list(self._view.page.geometry.days_in(self._view.visible))
        if current is None and selection.day in days:
            return self._beside([selection.day + (1 if right + down > 0 else 0)], right + down)
        if current is None or self._days.day_of(current.at) not in days:
            return self._first_visible() or self._beside(days, right + down)
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

    def _beside(self, days: list[int], direction: int) -> PlannedPost | None:
        """Return the first post from ``days`` on, or for a negative direction the last one before them."""
        start = self._days.instant(days[0], 0) if days else 0
        row = self._posts.first_row_from(start) - (0 if direction > 0 else 1)
        return self._posts.post_at(row) if 0 <= row < self._posts.rowCount() else None

    def _show(self, key: str) -> None:
        post = self._posts.get(key)
        if post is not None:
            self.walked.emit(self._days.place(post.at).day)
            self._view.scrollTo(self._posts.index(self._posts.row_of(key)))
