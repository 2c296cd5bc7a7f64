"""When to publish posts: a day and a time on the clock of a time zone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple, Self
from zoneinfo import ZoneInfo

from app.language import city, day, tr
from app.workspace.analytics.best_times import BestTime, BestTimes
from app.workspace.clock import from_millis, to_millis
from app.workspace.time.wall import MINUTE_MS, Moment, Reading, WallClock, weekday

PAST: Final = tr("That time has passed. Choose a later one.")
_AHEAD_MS: Final = 90 * MINUTE_MS


@dataclass(frozen=True, slots=True)
class Schedule:
    """A wall-clock time in a time zone, in whole minutes. A clock change may skip or repeat it.

    Attributes:
        local: Naive.
        is_second: Whether the second occurrence of a repeated time is meant.
        misread: Why the typed text isn't a day; "" if it is one.
    """

    local: datetime
    zone: ZoneInfo
    is_second: bool = False
    misread: str = ""

    @classmethod
    def of(cls, at: int, zone: ZoneInfo) -> Self:
        """Return the schedule for ``at``, in milliseconds since 1970 UTC, without its seconds."""
        local = in_zone(at, zone).replace(tzinfo=None, second=0, microsecond=0, fold=0)
        found = readings(local, zone)
        minute = at - _clock(zone).second_ms(at)
        return cls(local, zone, is_second=len(found) > 1 and to_millis(found[1]) == minute)

    @property
    def readings(self) -> tuple[datetime, ...]:
        """The instants at which the clock shows this time, earliest first."""
        return readings(self.local, self.zone)

    @property
    def at(self) -> int | None:
        """The instant in milliseconds since 1970 UTC; None if a clock change skips the time."""
        found = self.readings
        if not found:
            return None
        return to_millis(found[1 if self.is_second and len(found) > 1 else 0])

    @property
    def next_valid(self) -> datetime:
        """The first minute, not before this one, that the clock shows."""
        return next_valid(self.local, self.zone)

    def problem(self, now: int) -> str:
        """Return why posts can't be scheduled for this time, or ""."""
        if self.misread:
            return self.misread
        at = self.at
        if at is None:
            return tr(
                "The clocks go forward: {time} doesn't exist on {day} in {zone}.",
                time=f"{self.local:%H:%M}",
                day=day(self.local),
                zone=city(self.zone),
            )
        return PAST if at <= now else ""

    def is_same_time(self, other: "Schedule") -> bool:
        """Whether both mean the same time, regardless of the typed text."""
        return replace(self, misread="") == replace(other, misread="")

    def moved_to_valid(self) -> Self:
        """Return the schedule for ``next_valid``."""
        return replace(self, local=self.next_valid, misread="")


@lru_cache(maxsize=16)
def _clock(zone: ZoneInfo) -> WallClock:
    """Return the clock of a time zone, cached because it caches the offsets."""
    return WallClock(zone)


def readings(local: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """Return the instants at which the clock of `zone` shows the naive `local`, earliest first.

    Empty if a clock change skips it, two if a clock change repeats it, otherwise one.
    """
    landing = _clock(zone).land(*_moment(local), local.second * 1_000 + local.microsecond // 1_000)
    if landing.reading is Reading.SKIPPED:
        return ()
    return tuple(in_zone(at, zone) for at in (landing.at, landing.other) if at is not None)


def next_valid(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the first whole minute, not before the naive `local`, that the clock of `zone` shows."""
    clock = _clock(zone)
    day_, minute = clock.place(clock.first_shown(*_moment(local)))
    return datetime.fromordinal(day_).replace(hour=minute // 60, minute=minute % 60)


def in_zone(at: int, zone: ZoneInfo) -> datetime:
    """Return the instant `at`, in milliseconds since 1970 UTC, as a datetime in `zone`."""
    return from_millis(at).astimezone(zone)


def suggested(now: int, zone: ZoneInfo) -> int:
    """Return the default time for a new post: the first full hour at least 30 minutes ahead."""
    clock, at = _clock(zone), now + _AHEAD_MS
    return at - clock.place(at).minute % 60 * MINUTE_MS - clock.second_ms(at)


class BestMoment(NamedTuple):
    """The next time at which an account's posts do best, in milliseconds since 1970 UTC."""

    at: int
    account_key: str
    time: BestTime


def next_best(
    found: Mapping[str, BestTimes], account_keys: Iterable[str], zone: ZoneInfo, after: int
) -> BestMoment | None:
    """Return the next best hour; of several accounts, the one that exceeds its usual result the most."""
    known = [(key, found[key]) for key in account_keys if key in found and found[key].times]
    if not known:
        return None
    key, times = max(known, key=lambda one: one[1].times[0].typical / max(one[1].usual, 1))
    best, clock = times.times[0], _clock(zone)
    first = clock.place(after).day
    for day_ in (one for one in range(first, first + 15) if weekday(one) == best.weekday):
        landing = clock.land(day_, best.minute)
        if landing.reading is not Reading.SKIPPED and landing.at > after:
            return BestMoment(landing.at, key, best)
    return None


def zone_named(name: str, otherwise: ZoneInfo) -> ZoneInfo:
    """Return the time zone with this name; ``otherwise`` if this computer doesn't know it."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return otherwise


def _moment(local: datetime) -> Moment:
    return Moment(local.toordinal(), local.hour * 60 + local.minute)
