"""Assigns several files to the next free posting times. Pure functions."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from app.workspace.posts.timeline import Timeline
from app.workspace.slots.slots import TAKEN_WITHIN_MS, Slot, SlotTime, next_free_slots
from app.workspace.time.wall import WallClock

File = TypeVar("File")

_SLOTS_MAX: Final = 2_000


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
