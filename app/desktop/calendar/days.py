"""Instants and wall-clock days: where on the calendar a moment is, in one time zone.

A day is its proleptic ordinal (``date.toordinal``), a minute counts from the wall clock's midnight.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

MINUTES_PER_DAY = 1_440
_DAY_MS = 86_400_000
_MINUTE_MS = 60_000
_QUARTER_MS = 900_000
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


class Moment(NamedTuple):
    """A wall-clock moment: the day's ordinal and the minute of the day (0 to 1439)."""

    day: int
    minute: int


class LocalDays:
    """Converts between instants (milliseconds since 1970 UTC) and the wall clock of one zone.

    The zone's offset is asked for once a day; on days on which the clock changes, once a quarter of an
    hour: no zone changes its clock within one.
    """

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone
        self._by_day: dict[int, int | None] = {}
        """Offsets by days of UTC; None where the clock changes."""
        self._by_quarter: dict[int, int] = {}

    def place(self, at: int) -> Moment:
        """The wall-clock moment of an instant."""
        day, rest = divmod(at + self._offset_ms(at), _DAY_MS)
        return Moment(day + _EPOCH_ORDINAL, rest // _MINUTE_MS)

    def instant(self, day: int, minute: int, second_ms: int = 0) -> int:
        """The instant of a wall-clock moment, plus ``second_ms`` (milliseconds within the minute).

        A time that a clock change skips is read with the offset before the change; of one that comes
        twice, the first is taken.
        """
        naive = datetime.combine(date.fromordinal(day), time(), None) + timedelta(minutes=minute)
        moment = naive.replace(tzinfo=self.zone).astimezone(UTC)
        return round(moment.timestamp()) * 1_000 + second_ms

    def moved_to_day(self, at: int, day: int) -> int:
        """The same time of day on another day."""
        return self.instant(day, self.place(at).minute, at % _MINUTE_MS)

    def length_minutes(self, day: int) -> int:
        """How long a day is: 1440, or an hour less or more where the clock changes."""
        return (self.instant(day + 1, 0) - self.instant(day, 0)) // _MINUTE_MS

    def today(self) -> int:
        """The current day's ordinal."""
        return datetime.now(self.zone).date().toordinal()

    def _offset_ms(self, at: int) -> int:
        day = at // _DAY_MS
        offset = self._by_day.get(day)
        if offset is not None:
            return offset
        if day not in self._by_day:
            first, last = self._asked(day * _DAY_MS), self._asked((day + 1) * _DAY_MS)
            self._by_day[day] = first if first == last else None
            return self._offset_ms(at)
        quarter = at // _QUARTER_MS
        if quarter not in self._by_quarter:
            self._by_quarter[quarter] = self._asked(quarter * _QUARTER_MS)
        return self._by_quarter[quarter]

    def _asked(self, at: int) -> int:
        difference = datetime.fromtimestamp(at / 1_000, self.zone).utcoffset() or timedelta()
        return difference // timedelta(milliseconds=1)


def weekday(day: int) -> int:
    """0 for Monday to 6 for Sunday."""
    return (day + 6) % 7


def monday_of(day: int) -> int:
    """The Monday on or before a day."""
    return day - weekday(day)
