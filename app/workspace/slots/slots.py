"""Weekly posting times: when they are in a span, which are free, and times for posts. Pure functions."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from app.contract.enums import PostStatus
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.time.wall import MINUTE_MS, Range, Reading, WallClock, weekday

TAKEN_WITHIN_MS = 15 * MINUTE_MS
"""A slot is taken by a post of its account that is closer than this, in ms."""

_LOOK_AHEAD_DAYS = 366
_OUT_OF_THE_WAY: Final = frozenset({PostStatus.CANCELLED, PostStatus.FAILED})


class Slot(NamedTuple):
    """A weekly time on the wall clock; weekday 0 is Monday, ``minute`` counts from midnight."""

    account_key: str
    weekday: int
    minute: int


class SlotTime(NamedTuple):
    """A slot in one week; ``post_key`` is the post that takes it, None if it's free."""

    at: int
    account_key: str
    post_key: str | None = None

    @property
    def is_free(self) -> bool:
        return self.post_key is None


def slot_times(slots: Iterable[Slot], clock: WallClock, span: Range, posts: Timeline) -> list[SlotTime]:
    """Return the slots in a half-open span, sorted by time, without those that a clock change skips."""
    taken = _taken(posts.between(span.start - TAKEN_WITHIN_MS, span.end + TAKEN_WITHIN_MS))
    found = [
        SlotTime(at, slot.account_key, _taker(taken, slot.account_key, at))
        for slot, at in _occurrences(slots, clock, span)
    ]
    return sorted(found, key=lambda time: (time.at, time.account_key))


def next_free_slots(
    slots: Iterable[Slot],
    clock: WallClock,
    posts: Timeline,
    *,
    after: int,
    count: int = 1,
    accounts: Collection[str] | None = None,
) -> list[SlotTime]:
    """Return the next ``count`` free slots after a moment, of some accounts or of all.

    Fewer if the next year has fewer.
    """
    chosen = [slot for slot in slots if accounts is None or slot.account_key in accounts]
    first = clock.place(after).day
    found: list[SlotTime] = []
    for week in range(first, first + _LOOK_AHEAD_DAYS, 7):
        if len(found) >= count or not chosen:
            break
        times = slot_times(chosen, clock, clock.days(week, 7), posts)
        found += [time for time in times if time.is_free and time.at > after]
    return found[:count]


def _occurrences(slots: Iterable[Slot], clock: WallClock, span: Range) -> Iterator[tuple[Slot, int]]:
    by_weekday: defaultdict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        by_weekday[slot.weekday].append(slot)
    for day in range(clock.place(span.start).day, clock.place(span.end - 1).day + 1):
        for slot in by_weekday[weekday(day)]:
            landing = clock.land(day, slot.minute)
            if landing.reading is not Reading.SKIPPED and landing.at in span:
                yield slot, landing.at


def _taken(posts: Iterable[PlannedPost]) -> Mapping[str, list[tuple[int, str]]]:
    """By account, the taken times and their posts, in order."""
    taken: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for post in posts:
        if post.status not in _OUT_OF_THE_WAY:
            taken[post.account_key].append((post.at, post.key))
    return taken


def _taker(taken: Mapping[str, list[tuple[int, str]]], account_key: str, at: int) -> str | None:
    times = taken.get(account_key, [])
    here = bisect_left(times, (at, ""))
    near = [times[i] for i in (here - 1, here) if 0 <= i < len(times)]
    close = [(abs(time - at), key) for time, key in near if abs(time - at) < TAKEN_WITHIN_MS]
    return min(close)[1] if close else None


_HOUR_MS: Final = 3_600_000
_SLOTS_TRIED: Final = 14
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
    chosen: Iterable[Sequence[PlannedPost]],
    slots: Iterable[Slot],
    clock: WallClock,
    posts: Timeline,
    now: int,
) -> dict[str, int]:
    """The next free slot after each post's own time, by key; no slot for two of them.

    Posts of one idea stay together: they get a slot of any of their accounts at which no other post of one of
    these is near. Posts whose accounts have no such slot within a year are left out.
    """
    weekly = tuple(slots)
    found: dict[str, int] = {}
    last: dict[str, int] = {}
    for idea in sorted(chosen, key=lambda one: (one[0].at, one[0].key)):
        accounts = frozenset(post.account_key for post in idea)
        # Every free slot between the post before and the one that it took is taken by then.
        after = max(now, *(post.at for post in idea), *(last.get(account, 0) for account in accounts))
        count = 1 if len(accounts) == 1 else _SLOTS_TRIED * len(accounts)
        free = next_free_slots(weekly, clock, posts, after=after, count=count, accounts=accounts)
        own = frozenset(post.key for post in idea)
        at = next((slot.at for slot in free if _are_free(accounts, slot.at, posts, own)), None)
        if at is not None:
            found.update((post.key, at) for post in idea)
            last.update((account, at) for account in accounts)
    return found


def _are_free(accounts: Collection[str], at: int, posts: Timeline, own: Collection[str]) -> bool:
    """Whether no post of some accounts is near a time, except ``own`` ones."""
    near = posts.between(at - TAKEN_WITHIN_MS + 1, at + TAKEN_WITHIN_MS)
    return not any(
        one.account_key in accounts and one.key not in own and one.status not in _OUT_OF_THE_WAY
        for one in near
    )


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
