"""Finds times for posts: a free slot, a quiet gap, or one for each of several files. Pure functions."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from app.contract.enums import PostStatus
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.slots.slots import TAKEN_WITHIN_MS, Slot, SlotTime, next_free_slots
from app.workspace.time.wall import WallClock

_HOUR_MS: Final = 3_600_000
_SLOTS_TRIED: Final = 14
_OUT_OF_THE_WAY: Final = frozenset({PostStatus.CANCELLED, PostStatus.FAILED})
File = TypeVar("File")
_SLOTS_MAX: Final = 2_000


def quiet_time(post: PlannedPost, slots: Iterable[Slot], clock: WallClock, posts: Timeline, now: int) -> int:
    """The next time after a post's own that is an hour from every other post of its account.

    It is a free slot of the account where one of the next is quiet, in milliseconds since 1970 UTC.
    """
    after = max(post.at, now)
    free = next_free_slots(
        slots, clock, posts, after=after, count=_SLOTS_TRIED, accounts=frozenset({post.account_key})
    )
    quiet = (slot.at for slot in free if _next_quiet(post, posts, slot.at) == slot.at)
    return next(quiet, None) or _next_quiet(post, posts, after)


def next_slots(
    chosen: Iterable[PlannedPost], slots: Iterable[Slot], clock: WallClock, posts: Timeline, now: int
) -> dict[str, int]:
    """The next free slot of its account after each post's own time, no slot for two of them.

    Posts whose account has no free slot within a year are left out.
    """
    weekly = tuple(slots)
    found: dict[str, int] = {}
    last: dict[str, int] = {}
    for post in sorted(chosen, key=lambda one: (one.at, one.key)):
        account = post.account_key
        # Every free slot between the post before and the one that it took is taken by then.
        after = max(post.at, now, last.get(account, 0))
        free = next_free_slots(weekly, clock, posts, after=after, accounts=frozenset({account}))
        if free:
            found[post.key] = last[account] = free[0].at
    return found


def _next_quiet(post: PlannedPost, posts: Timeline, at: int) -> int:
    """The first time from ``at`` on with no other post of the account within the hour before or after."""
    while near := [one for one in posts.between(at - _HOUR_MS + 1, at + _HOUR_MS) if _is_rival(one, post)]:
        at = near[-1].at + _HOUR_MS
    return at


def _is_rival(one: PlannedPost, post: PlannedPost) -> bool:
    return one.account_key == post.account_key and one.key != post.key and one.status not in _OUT_OF_THE_WAY


@dataclass(frozen=True, slots=True)
class Place:
    """A time in ms since 1970 UTC, for an account; empty if no account has posting times."""

    at: int
    account_key: str = ""


def free_slots(
    slots: Iterable[Slot],
    clock: WallClock,
    posts: Timeline,
    drafts: Collection[Place],
    after: int,
) -> list[SlotTime]:
    """Return the free posting times after a moment; those that drafts are meant for aren't free."""
    found = next_free_slots(slots, clock, posts, after=after, count=_SLOTS_MAX)
    return [
        slot
        for slot in found
        if not any(
            draft.account_key == slot.account_key and abs(draft.at - slot.at) < TAKEN_WITHIN_MS
            for draft in drafts
        )
    ]


def spread(
    files: Sequence[File], free: Sequence[SlotTime], takes: Callable[[File, str], bool]
) -> list[Place | None]:
    """Return a place for each file, in the order of time; ``takes`` says whether an account accepts a file.

    None for a file without a free posting time.
    """
    left = list(free)
    places: list[Place | None] = []
    for file in files:
        fitting = next((slot for slot in left if takes(file, slot.account_key)), None)
        if fitting is not None:
            left.remove(fitting)
        places.append(Place(fitting.at, fitting.account_key) if fitting else None)
    return places


def one_a_day(count: int, clock: WallClock, start: int, after: int) -> list[Place]:
    """Return the same time of day on days from ``start`` on, without those whose time has passed."""
    day, minute = clock.place(start)
    places: list[Place] = []
    while len(places) < count:
        at = clock.instant(day, minute)
        if at > after:
            places.append(Place(at))
        day += 1
    return places
