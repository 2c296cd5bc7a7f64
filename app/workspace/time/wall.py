"""Conversion between instants and the wall clock of a time zone, and moves of posts by drag or keyboard.

An instant is in milliseconds since 1970 UTC. A day is its proleptic ordinal (``date.toordinal``), a minute
counts from midnight on the wall clock. Ranges are half-open: they don't include their end.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from app.language import tr
from app.workspace.posts.planned import PlannedPost

MINUTES_PER_DAY = 1_440
MINUTE_MS = 60_000
DAY_MS = 86_400_000
_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_ORDINAL = _EPOCH.toordinal()
_FIRST_MS = (2 - _EPOCH_ORDINAL) * DAY_MS  # datetime's limits are a day further out, so every time zone fits
_LAST_MS = (date.max.toordinal() - 1 - _EPOCH_ORDINAL) * DAY_MS


class Moment(NamedTuple):
    """A wall-clock time: the day's ordinal and the minute of the day (0 to 1439)."""

    day: int
    minute: int


class Range(NamedTuple):
    """The half-open range from ``start`` to ``end``, in milliseconds since 1970 UTC."""

    start: int
    end: int

    def __contains__(self, at: object) -> bool:
        return isinstance(at, int) and self.start <= at < self.end


class Reading(Enum):
    """How often the clock of a time zone shows a wall-clock time."""

    ONCE = "once"
    SKIPPED = "skipped"  # the clock is set forward past it
    TWICE = "twice"  # the clock is set back across it


@dataclass(frozen=True, slots=True)
class Landing:
    """The instant of a wall-clock time.

    Attributes:
        at: The instant; the first one of a repeated time. For a skipped time, it's computed with the offset
            before the clock change, and the clock shows ``shift`` minutes more.
        reading: Whether the time is unique, skipped or repeated.
        shift: Minutes by which the clock differs from the requested time; 0 unless the time is skipped.
        other: The second instant of a repeated time.
    """

    at: int
    reading: Reading = Reading.ONCE
    shift: int = 0
    other: int | None = None


class WallClock:
    """Converts between instants and the wall clock of one time zone.

    UTC offsets are cached by day, and by minute on days with a clock change, because some time zones have
    changed their clocks at one minute past midnight.
    """

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone
        self._by_day: dict[int, int | None] = {}
        """Offsets by UTC day; None on days with a clock change."""
        self._by_minute: dict[int, int] = {}
        self._midnights: dict[int, int] = {}
        """The first instant of each day."""

    def place(self, at: int) -> Moment:
        """Return the wall-clock time of an instant."""
        day, rest = divmod(at + self.offset_ms(at), DAY_MS)
        return Moment(day + _EPOCH_ORDINAL, rest // MINUTE_MS)

    def day_of(self, at: int) -> int:
        """Return the day of an instant, like ``place`` but three times as fast."""
        offset = self._by_day.get(at // DAY_MS)
        if offset is None:
            offset = self.offset_ms(at)
        return (at + offset) // DAY_MS + _EPOCH_ORDINAL

    def land(self, day: int, minute: int, second_ms: int = 0) -> Landing:
        """Return the instant of a wall-clock time plus ``second_ms`` (milliseconds within the minute).

        ``minute`` may be outside the day: it continues across midnight.
        """
        local_ms = (day - _EPOCH_ORDINAL) * DAY_MS + minute * MINUTE_MS
        before, after = self._offsets_around(local_ms)
        early, late = local_ms - before, local_ms - after
        if before == after:
            return Landing(early + second_ms)
        shows = [at for at in (early, late) if at + self.offset_ms(at) == local_ms]
        if len(shows) == 2:
            return Landing(shows[0] + second_ms, Reading.TWICE, other=shows[1] + second_ms)
        if shows:
            return Landing(shows[0] + second_ms)
        return Landing(early + second_ms, Reading.SKIPPED, (after - before) // MINUTE_MS)

    def instant(self, day: int, minute: int, second_ms: int = 0) -> int:
        """Return the instant of ``land``."""
        return self.land(day, minute, second_ms).at

    def first_shown(self, day: int, minute: int) -> int:
        """Return the instant of a wall-clock time; if it's skipped, that of the clock change."""
        landing = self.land(day, minute)
        low, high = landing.at - landing.shift * MINUTE_MS, landing.at
        before = self.offset_ms(low)
        while high - low > MINUTE_MS:  # the clock changes at a whole minute
            middle = (low + high) // (2 * MINUTE_MS) * MINUTE_MS
            low, high = (middle, high) if self.offset_ms(middle) == before else (low, middle)
        return high

    def second_ms(self, at: int) -> int:
        """Return the milliseconds within the minute on the wall clock; historical offsets had seconds."""
        return (at + self.offset_ms(at)) % MINUTE_MS

    def day(self, day: int) -> Range:
        """Return the range from the first time that the clock shows on a day to the first one of the next."""
        return Range(self._midnight(day), self._midnight(day + 1))

    def days(self, first: int, count: int) -> Range:
        """Return the range of several days, for example 7 from a Monday on."""
        return Range(self._midnight(first), self._midnight(first + count))

    def length_minutes(self, day: int) -> int:
        """Return the length of a day: usually 1440, different at a clock change; 0 for a skipped day."""
        start, end = self.day(day)
        return (end - start) // MINUTE_MS

    def today(self, now: int) -> int:
        """Return the ordinal of the day at an instant."""
        return self.day_of(now)

    def offset_ms(self, at: int) -> int:
        """Return the UTC offset at an instant, in milliseconds; positive if ahead of UTC."""
        day = at // DAY_MS
        offset = self._by_day.get(day)
        if offset is not None:
            return offset
        if day not in self._by_day:
            first, last = self._asked(day * DAY_MS), self._asked((day + 1) * DAY_MS)
            self._by_day[day] = first if first == last else None
            return self.offset_ms(at)
        minute = at // MINUTE_MS
        if minute not in self._by_minute:
            self._by_minute[minute] = self._asked(minute * MINUTE_MS)
        return self._by_minute[minute]

    def _midnight(self, day: int) -> int:
        known = self._midnights.get(day)
        if known is None:
            known = self._midnights[day] = self.first_shown(day, 0)
        return known

    def _offsets_around(self, local_ms: int) -> tuple[int, int]:
        """Return the offsets a day before and after a wall-clock time, either of which may apply to it.

        No time zone has ever changed its clock twice within two days.
        """
        return self.offset_ms(local_ms - DAY_MS), self.offset_ms(local_ms + DAY_MS)

    def _asked(self, at: int) -> int:
        moment = _EPOCH + min(max(at, _FIRST_MS), _LAST_MS) * _MILLISECOND
        return (moment.astimezone(self.zone).utcoffset() or timedelta()) // _MILLISECOND


def weekday(day: int) -> int:
    """Return the weekday, from 0 for Monday to 6 for Sunday."""
    return (day + 6) % 7


def monday_of(day: int) -> int:
    """Return the Monday on or before a day."""
    return day - weekday(day)


SNAP_MINUTES = 15


def by_days(clock: WallClock, posts: Iterable[PlannedPost], days: int) -> dict[str, Landing]:
    """Move each post by whole days, keeping its time of day and the gaps between posts."""
    return by_minutes(clock, posts, days * MINUTES_PER_DAY)


def by_minutes(clock: WallClock, posts: Iterable[PlannedPost], minutes: int) -> dict[str, Landing]:
    """Move each post by minutes of the wall clock, across midnight if needed.

    A post in the second pass of a repeated hour stays in the second pass while it stays in that hour.
    """
    return {post.key: _moved(clock, post.at, minutes) for post in posts}


def _moved(clock: WallClock, at: int, minutes: int) -> Landing:
    place, second_ms = clock.place(at), clock.second_ms(at)
    days, minute = divmod(place.minute + minutes, MINUTES_PER_DAY)
    landing = clock.land(place.day + days, minute, second_ms)
    if days == 0 and landing.other is not None and clock.land(*place, second_ms).other == at:
        return Landing(landing.other)
    return landing


def to_day(clock: WallClock, at: int, day: int) -> Landing:
    """Return the same time of day on another day."""
    return clock.land(day, clock.place(at).minute, clock.second_ms(at))


def times(landings: Mapping[str, Landing]) -> dict[str, int]:
    """Return the times for ``Workspace.move``."""
    return {key: landing.at for key, landing in landings.items()}


def snapped(minute: int, step: int = SNAP_MINUTES) -> int:
    """Round to the nearest multiple of the step, in minutes; halfway rounds up."""
    return (minute + step // 2) // step * step


def to_next_step(minute: int, direction: int, step: int = SNAP_MINUTES) -> int:
    """Return the minutes to the next step in a direction (1 or -1): 10:07 goes to 10:15 or 10:00."""
    over = minute % step
    if over == 0:
        return direction * step
    return step - over if direction > 0 else -over


def remark(clock: WallClock, landing: Landing) -> str | None:
    """Describe the effect of a clock change on a move, before the drop; None if it has none."""
    if landing.reading is Reading.ONCE:
        return None
    minute = clock.place(landing.at).minute
    if landing.reading is Reading.TWICE:
        return tr(
            "The clocks go back that day, so {time} happens twice. The first one is used.",
            time=_spoken(minute),
        )
    asked = (minute - landing.shift) % MINUTES_PER_DAY
    return tr(
        "The clocks go forward that day, so {asked} doesn't exist. It becomes {time}.",
        asked=_spoken(asked),
        time=_spoken(minute),
    )


def _spoken(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
