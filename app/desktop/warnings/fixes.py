"""The fixes for each warning."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import Enum, auto
from functools import partial
from typing import NamedTuple, Protocol

from app.contract.enums import ConnectionPlatform
from app.desktop.connections.connecting import connectable
from app.desktop.warnings.wording import Concern, Wording
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.slots.slots import Slot, quiet_time
from app.workspace.time.wall import WallClock
from app.workspace.warnings.checks import roomy_time
from app.workspace.warnings.warning import PlanWarning, PlanWarnings, WarningKind

_MOVED = frozenset(
    {WarningKind.TOO_CLOSE, WarningKind.DAY_FULL, WarningKind.TOO_LATE, WarningKind.USUALLY_OFF}
)
_HOUR_MS = 3_600_000
_MOST_MOVED = 50
"""Maximum number of posts moved in one step; the others are listed again."""
_REWRITTEN = {
    WarningKind.RULE: tr("Edit"),
    WarningKind.NO_FILE: tr("Choose a file"),
    WarningKind.NO_BOARD: tr("Choose a board"),
    WarningKind.NO_AUDIENCE: tr("Choose who can see it"),
    WarningKind.SAME_TEXT: tr("Edit"),
}
"""Fixed in the composer, which replaces the post; several problems go by the first."""


class Way(Enum):
    """The effect of a fix: it solves the problem, only shows the post, or accepts the warning."""

    HELP = auto()
    OPEN = auto()
    IGNORE = auto()


class Fix(NamedTuple):
    """A fix: its button's label, and its action."""

    words: str
    act: Callable[[], None]
    way: Way = Way.HELP


class Slots(Protocol):
    """The weekly posting times."""

    def all(self) -> Iterable[Slot]: ...


class Plan(Protocol):
    """What the list needs from a workspace."""

    @property
    def posts(self) -> Timeline: ...

    @property
    def accounts(self) -> Mapping[str, Account]: ...

    @property
    def warnings(self) -> PlanWarnings: ...

    @property
    def slots(self) -> Slots: ...

    @property
    def inboxes(self) -> Collection[str]: ...

    def usual_time(self, key: str) -> int | None: ...

    def move(self, times: Mapping[str, int]) -> None: ...

    def cancel(self, keys: Iterable[str]) -> None: ...

    async def put_aside(self, warnings: Iterable[PlanWarning]) -> None: ...

    async def show_again(self) -> None: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class Doors(Protocol):
    """Fixes in other parts of the window."""

    def open(self, key: str) -> None:
        """Show a post."""
        ...

    def rewrite(self, key: str) -> None:
        """Replace a post with another."""
        ...

    def reconnect(self, platform: ConnectionPlatform) -> None: ...

    def go(self, pane: str) -> None: ...

    def visit_service(self) -> None:
        """Open the service's page in a browser."""
        ...

    def put_aside(self, warnings: Iterable[PlanWarning]) -> None: ...


class Fixes:
    """Finds the fixes for the warnings of a plan at a moment."""

    def __init__(self, plan: Plan, doors: Doors, clock: WallClock, wording: Wording, now: int) -> None:
        self._plan = plan
        self._doors = doors
        self._clock = clock
        self._wording = wording
        self._now = now

    def of(self, concern: Concern) -> list[Fix]:
        """Return a warning's fixes, the most effective first."""
        parts = (self._elsewhere, self._moves, self._edits, self._cancels, self._posts)
        return [fix for part in parts for fix in part(concern)]

    def _elsewhere(self, concern: Concern) -> Iterator[Fix]:
        platform = self._platform(concern)
        if platform is not None and platform in connectable():
            yield Fix(tr("Reconnect"), lambda: self._doors.reconnect(platform))
        if concern.kind is WarningKind.NO_ROOM:
            yield Fix(tr("Choose files to delete"), lambda: self._doors.go("media"))
            yield Fix(tr("Show the drafts"), lambda: self._doors.go("drafts"))
        if concern.kind is WarningKind.SUBSCRIPTION:
            yield Fix(tr("Open the service"), self._doors.visit_service)

    def _moves(self, concern: Concern) -> Iterator[Fix]:
        times = self._better_times(concern) if concern.kind in _MOVED else {}
        if times:
            yield Fix(self._move_words(concern.kind, times), lambda: self._plan.move(times))

    def _move_words(self, kind: WarningKind, times: Mapping[str, int]) -> str:
        if len(times) == 1 and kind is not WarningKind.TOO_LATE:
            [at] = times.values()
            return tr("Move to {when}", when=self._wording.short(at, self._now))
        return trn("Move {n} post", "Move {n} posts", len(times))

    def _cancels(self, concern: Concern) -> Iterator[Fix]:
        cancel = partial(self._plan.cancel, concern.keys)
        if concern.kind is WarningKind.SAME_TEXT:
            yield Fix(tr("Cancel this post"), cancel)
        if concern.kind is WarningKind.NO_ACCOUNT:
            yield Fix(trn("Cancel {n} post", "Cancel {n} posts", len(concern.keys)), cancel)

    def _edits(self, concern: Concern) -> Iterator[Fix]:
        if concern.kind in _REWRITTEN and len(concern.keys) == 1:
            [key] = concern.keys
            yield Fix(_REWRITTEN[concern.kind], lambda: self._doors.rewrite(key))

    def _posts(self, concern: Concern) -> Iterator[Fix]:
        if concern.keys and not concern.has_lines:
            [key] = concern.keys
            yield Fix(tr("Open the post"), lambda: self._doors.open(key), Way.OPEN)
        if concern.keys and not concern.kind.fails:
            yield Fix(tr("Ignore"), lambda: self._doors.put_aside(concern.warnings), Way.IGNORE)

    def _better_times(self, concern: Concern) -> dict[str, int]:
        posts = [
            post for key in concern.keys[:_MOST_MOVED] if (post := self._plan.posts.get(key)) is not None
        ]
        if concern.kind is WarningKind.DAY_FULL:
            return self._roomy_times(posts)
        found = {post.key: self._better_time(post, concern.kind) for post in posts}
        return {key: at for key, at in found.items() if at is not None and at > self._now}

    def _better_time(self, post: PlannedPost, kind: WarningKind) -> int | None:
        if kind is WarningKind.USUALLY_OFF:
            return self._plan.usual_time(post.key)
        if kind is WarningKind.TOO_LATE:
            return post.at + _HOUR_MS
        slots, posts, inboxes = tuple(self._plan.slots.all()), self._plan.posts, self._plan.inboxes
        return roomy_time(
            post, posts, lambda one: quiet_time(one, slots, self._clock, posts, self._now), inboxes
        )

    def _roomy_times(self, posts: list[PlannedPost]) -> dict[str, int]:
        """Return free times one after another, since each chosen time takes space from the next."""
        found: dict[str, int] = {}
        rivals = Timeline(one for one in self._plan.posts if one.platform == posts[0].platform)
        for post in posts:
            at = roomy_time(
                post,
                rivals,
                lambda one: quiet_time(one, (), self._clock, rivals, self._now),
                self._plan.inboxes,
            )
            if at is not None:
                found[post.key] = at
                rivals.apply([post._replace(at=at)])
        return found

    def _platform(self, concern: Concern) -> ConnectionPlatform | None:
        """Return the platform to reconnect; None if that doesn't help."""
        post = self._plan.posts.get(concern.keys[0]) if concern.kind.is_of_account else None
        return ConnectionPlatform(post.platform.value) if post is not None else None
