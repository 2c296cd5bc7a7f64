"""Weekly posting times: when they are in a span, which are free, and which is next. Pure functions."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from app.contract.enums import PostStatus
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.time.wall import MINUTE_MS, Range, Reading, WallClock, weekday

TAKEN_WITHIN_MS = 15 * MINUTE_MS
"""A slot is taken by a post of its account that is closer than this, in ms."""

_LOOK_AHEAD_DAYS = 366
_OUT_OF_THE_WAY = frozenset({PostStatus.CANCELLED, PostStatus.FAILED})


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
