"""What the fields for day and time ask of the wall clock; the arithmetic is the workspace's."""

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from app.workspace.clock import from_millis
from app.workspace.time.wall import MINUTE_MS, Moment, Reading, WallClock

_AHEAD_MS = 90 * MINUTE_MS


@lru_cache(maxsize=16)
def _clock(zone: ZoneInfo) -> WallClock:
    """One for each zone: it keeps the offsets that it has asked for."""
    return WallClock(zone)


def readings(local: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """Return the instants at which the clocks of `zone` show the naive `local`, earliest first.

    None while clocks are put forward over it, two when they are put back over it, else one.
    """
    landing = _clock(zone).land(*_moment(local), local.second * 1_000 + local.microsecond // 1_000)
    if landing.reading is Reading.SKIPPED:
        return ()
    return tuple(in_zone(at, zone) for at in (landing.at, landing.other) if at is not None)


def next_valid(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the first whole minute from that of the naive `local` on that the clocks of `zone` do show."""
    clock = _clock(zone)
    day, minute = clock.place(clock.first_shown(*_moment(local)))
    return datetime.fromordinal(day).replace(hour=minute // 60, minute=minute % 60)


def in_zone(at: int, zone: ZoneInfo) -> datetime:
    """Return the moment that is `at` milliseconds after 1970 UTC, as the clocks of `zone` show it."""
    return from_millis(at).astimezone(zone)


def suggested(now: int, zone: ZoneInfo) -> int:
    """Return the time for a new post when nobody named one: the first full hour at least 30 minutes ahead."""
    clock, at = _clock(zone), now + _AHEAD_MS
    return at - clock.place(at).minute % 60 * MINUTE_MS - clock.second_ms(at)


def zone_named(name: str, otherwise: ZoneInfo) -> ZoneInfo:
    """Return the zone of a name, or another where this computer knows none of that name."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return otherwise


def _moment(local: datetime) -> Moment:
    return Moment(local.toordinal(), local.hour * 60 + local.minute)
