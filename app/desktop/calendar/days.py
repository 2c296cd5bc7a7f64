"""Where a moment is on the calendar, and what its days are called. The arithmetic is the workspace's."""

from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from app.desktop import words
from app.language import weekday_short
from app.workspace.time.wall import MINUTES_PER_DAY, Moment, Reading, WallClock, monday_of, weekday

_KEPT = 1_024


@lru_cache(maxsize=_KEPT)
def weekday_name(day: int) -> str:
    """``Wed`` of a day, an ordinal."""
    return weekday_short(date.fromordinal(day))


@lru_cache(maxsize=_KEPT)
def date_name(day: int) -> str:
    """``25 Nov``."""
    return words.date_short(date.fromordinal(day))


@lru_cache(maxsize=_KEPT)
def day_name(day: int) -> str:
    """``Wed 25 Nov``."""
    return words.day(date.fromordinal(day))


_DAY_MS = 86_400_000

__all__ = ["MINUTES_PER_DAY", "ClockChange", "LocalDays", "Moment", "monday_of", "weekday"]


class ClockChange(NamedTuple):
    """What happens to a day's clock: minutes from ``start`` to before ``end`` are skipped, or come twice."""

    start: int
    end: int
    twice: bool


class LocalDays(WallClock):
    """The wall clock of the zone that a calendar is shown in."""

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__(zone)
        self._changes: dict[int, ClockChange | None] = {}

    def today(self, now: int | None = None) -> int:
        """The current day's ordinal."""
        return datetime.now(self.zone).date().toordinal() if now is None else super().today(now)

    def minute_now(self) -> int:
        """The current minute of the day."""
        now = datetime.now(self.zone)
        return now.hour * 60 + now.minute

    def spell(self, at: int) -> tuple[int, int]:
        """The day of an instant, and an instant before which it stays that day: most often midnight."""
        day, day_of_utc = self.day_of(at), at // _DAY_MS
        offset = self._by_day.get(day_of_utc)
        if offset is None:  # the clock changes
            return day, at + 1
        return day, min((day_of_utc + 1) * _DAY_MS, ((at + offset) // _DAY_MS + 1) * _DAY_MS - offset)

    def change_on(self, day: int) -> ClockChange | None:
        """What the clock does on a day; None where it just goes on."""
        if day not in self._changes:
            self._changes[day] = self._change(day) if self.length_minutes(day) != MINUTES_PER_DAY else None
        return self._changes[day]

    def comes_again(self, at: int) -> bool:
        """Whether the clock has shown this time of day before, on the same day."""
        day, minute = self.place(at)
        change = self.change_on(day)
        if change is None or not change.twice:
            return False
        other = self.land(day, minute).other
        return other is not None and at >= other

    def clock(self, at: int) -> str:
        """The time of day; of one that comes twice with a letter, as railways do: 01:30A, then 01:30B."""
        minute = self.place(at).minute
        return f"{minute // 60:02}:{minute % 60:02}{self.letter(at)}"

    def letter(self, at: int) -> str:
        """What tells a time of day that comes twice from the other; "" for one that comes once."""
        day, minute = self.place(at)
        change = self.change_on(day)
        if change is None or not change.twice or not change.start <= minute < change.end:
            return ""
        return "B" if self.comes_again(at) else "A"

    def _change(self, day: int) -> ClockChange | None:
        readings = [self.land(day, minute).reading for minute in range(MINUTES_PER_DAY)]
        for reading in (Reading.TWICE, Reading.SKIPPED):
            if reading in readings:
                start = readings.index(reading)
                return ClockChange(start, start + readings.count(reading), reading is Reading.TWICE)
        return None
