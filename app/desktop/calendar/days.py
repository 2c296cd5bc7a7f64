"""The calendar's arithmetic of days: where a moment is, names of days, and shown periods."""

from collections.abc import Callable
from datetime import date
from enum import Enum
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from app.desktop import week, words
from app.language import month_name, month_short, tr, weekday_short
from app.workspace.clock import wall_clock
from app.workspace.time.wall import DAY_MS, MINUTES_PER_DAY, Reading, WallClock

_KEPT = 1_024
_MIDDLE = 3
_FIRST_MONTH, _LAST_MONTH = 12, 9_999 * 12 + 11
_LAST_DAY = date.max.toordinal()


@lru_cache(maxsize=_KEPT)
def weekday_name(day: int) -> str:
    """Return ``Wed`` for a day's ordinal."""
    return weekday_short(date.fromordinal(day))


@lru_cache(maxsize=_KEPT)
def date_name(day: int) -> str:
    """Return ``25 Nov``."""
    return words.date_short(date.fromordinal(day))


@lru_cache(maxsize=_KEPT)
def day_name(day: int) -> str:
    """Return ``Wed 25 Nov``."""
    return words.day(date.fromordinal(day))


class ClockChange(NamedTuple):
    """A clock change: minutes from ``start`` to before ``end`` are skipped or repeated."""

    start: int
    end: int
    twice: bool


class LocalDays(WallClock):
    """The wall clock of the calendar's zone."""

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__(zone)
        self._changes: dict[int, ClockChange | None] = {}

    def today(self, now: int | None = None) -> int:
        """Return the current day's ordinal."""
        return super().today(wall_clock() if now is None else now)

    def minute_now(self) -> int:
        """Return the current minute of the day."""
        return self.place(wall_clock()).minute

    def spell(self, at: int) -> tuple[int, int]:
        """Return the day of an instant, and an instant until which it stays that day: usually midnight."""
        day, day_of_utc = self.day_of(at), at // DAY_MS
        offset = self._by_day.get(day_of_utc)
        if offset is None:  # the clock changes
            return day, at + 1
        return day, min((day_of_utc + 1) * DAY_MS, ((at + offset) // DAY_MS + 1) * DAY_MS - offset)

    def change_on(self, day: int) -> ClockChange | None:
        """Return the clock change of a day, or None."""
        if day not in self._changes:
            self._changes[day] = self._change(day) if self.length_minutes(day) != MINUTES_PER_DAY else None
        return self._changes[day]

    def comes_again(self, at: int) -> bool:
        """Whether this is the second pass of a repeated time."""
        day, minute = self.place(at)
        change = self.change_on(day)
        if change is None or not change.twice:
            return False
        other = self.land(day, minute).other
        return other is not None and at >= other

    def clock(self, at: int) -> str:
        """Return the time of day; a repeated one gets a letter, as in timetables: 01:30A, then 01:30B."""
        minute = self.place(at).minute
        return f"{minute // 60:02}:{minute % 60:02}{self.letter(at)}"

    def letter(self, at: int) -> str:
        """Return the letter of a repeated time; "" for others."""
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


class Span(Enum):
    """The views of days, each with the period that a day is in."""

    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    AGENDA = "agenda"

    @property
    def columns(self) -> int | None:
        """Number of days with hours next to each other; None for a span without hours."""
        return {Span.WEEK: 7, Span.DAY: 1}.get(self)

    def first_day(self, day: int) -> int:
        """Return the day that a period begins with: the first of the month or week, or the day itself."""
        if self is Span.MONTH:
            return date.fromordinal(day).replace(day=1).toordinal()
        return week.first_of(day) if self is Span.WEEK else day

    def turned(self, day: int, direction: int) -> int:
        """Return the first day of the next (1) or the previous (-1) period."""
        if self is not Span.MONTH:
            return day + direction * (1 if self is Span.DAY else 7)
        shown = date.fromordinal(day)
        months = max(_FIRST_MONTH, min(shown.year * 12 + shown.month - 1 + direction, _LAST_MONTH))
        return date(months // 12, months % 12 + 1, 1).toordinal()

    def title(self, day: int) -> tuple[str, str]:
        """Return the name of the period that begins with a day: the bold part, and the regular part."""
        first = date.fromordinal(day)
        if self is Span.WEEK:
            return _week(first)
        if self is Span.DAY:
            return words.day_long(first), str(first.year)
        return month_name(first), str(first.year)

    def short_title(self, day: int) -> str:
        """Return the same name with short words and without a year, for narrow windows."""
        first = date.fromordinal(day)
        if self is Span.WEEK:
            return _week(first, month_short)[0]
        return words.date_short(first) if self is Span.DAY else month_short(first)

    def week_number(self, day: int) -> int | None:
        """Return the ISO week of a day in a span with hours."""
        if self is Span.WEEK:
            # The ISO week of most of these seven days.
            day = min(day + _MIDDLE, _LAST_DAY)
        return date.fromordinal(day).isocalendar().week if self.columns else None


SPAN_NAMES = {Span.MONTH: tr("Month"), Span.WEEK: tr("Week"), Span.DAY: tr("Day"), Span.AGENDA: tr("Agenda")}


def _week(first: date, named: Callable[[date], str] = month_name) -> tuple[str, str]:
    last = date.fromordinal(min(first.toordinal() + 6, _LAST_DAY))
    if first.month == last.month:
        name = tr("{first} – {last} {month}", first=first.day, last=last.day, month=named(last))  # noqa: RUF001  a range
    else:
        # Both months are short, so that the toolbar has room for the spans.
        name = f"{words.date_short(first)} – {words.date_short(last)}"  # noqa: RUF001
    return name, str(last.year)
