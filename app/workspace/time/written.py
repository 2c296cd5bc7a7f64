"""Parser for written dates and times of day: one grammar for tables and typed text."""

import re
from collections.abc import Mapping
from datetime import date
from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple

from app.language import month_name, month_short
from app.workspace.time.wall import MINUTE_MS, MINUTES_PER_DAY


class DayOrder(Enum):
    """How 03/04/2026 is read."""

    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"


class WrittenDate(NamedTuple):
    """A date at the start of a text; ``year`` is None if it's missing. The date may not exist.

    ``end`` is where the date ends in the text. ``sign`` separates the numbers; it's empty for a month's name.
    """

    year: int | None
    month: int
    day: int
    end: int
    sign: str = ""

    def nearest(self, today: date) -> date | None:
        """Return the date, the nearest one if the year is missing; None if it doesn't exist.

        The years searched reach from last year to the next leap year.
        """
        near = range(today.year - 1, today.year + _LEAP_YEARS_APART)
        years = near if self.year is None else [self.year]
        found = [day for year in years if (day := day_of(year, self.month, self.day)) is not None]
        return min(found, key=lambda day: abs(day - today), default=None)


class WrittenClock(NamedTuple):
    """A time of day.

    ``second_ms`` are milliseconds within the minute. ``offset_ms`` is the written UTC offset, None if it's
    missing. ``mark`` separates hour and minute; it's empty for a bare hour. ``after`` is "am", "p.m.", "h"
    or similar.
    """

    minute: int
    second_ms: int
    offset_ms: int | None
    mark: str
    after: str


_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_GERMAN: Final = "januar jän jänner|februar|mär märz mrz||mai|juni|juli|||okt oktober||dez dezember"


def months_by_name() -> dict[str, int]:
    """Return months by full and short name in lower case, in English and the app's language."""
    found: dict[str, int] = {"sept": 9}
    for number, name in enumerate(_MONTHS, 1):
        first = date(2000, number, 1)
        for known in (name, name[:3], month_name(first).lower(), month_short(first).lower().rstrip(".")):
            found[known] = number
    return found


MONTHS: Final = MappingProxyType(months_by_name())
"""The months of ``months_by_name`` in the language that the app was started in."""
TABLE_MONTHS: Final = MappingProxyType(
    {name: number for number, names in enumerate(_GERMAN.split("|"), 1) for name in names.split()} | MONTHS
)
"""Also with German names: a table may be in either language, and its dates contain no other words."""

_YEAR_FIRST: Final = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_NUMBERS: Final = re.compile(
    # A year isn't followed by the rest of a time: "5.11. 10:00".
    r"(\d{1,2})([-/.])\s*(\d{1,2})(?:\2(?:\s*(\d{4}|\d{2})(?![:.h]?\d))?)?",
    re.ASCII,
)
_DAY_MONTH: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+([^\W\d_]+)\.?,?(?:[\s-]+(\d{4}))?")
_MONTH_DAY: Final = re.compile(r"([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?(?:\s+(\d{4}))?(?!\d)")
_CLOCK: Final = re.compile(
    r"(?P<hour>\d{1,2})(?:(?P<mark>[:.h])(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<oclock>uhr|h)?"
    r"\s*(?P<offset>z|utc|gmt|[+\-\u2212]\d{2}(?::?\d{2})?)?",
    re.ASCII | re.IGNORECASE,
)
_CENTURY: Final = 2_000
_MONTHS_MAX: Final = 12
_LEAP_YEARS_APART: Final = 9


def day_of(year: int, month: int, day: int) -> date | None:
    """Return a date; None if it doesn't exist."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def find_date(text: str, order: DayOrder, months: Mapping[str, int] = MONTHS) -> WrittenDate | None:
    """Return the date at the start of a text. A month beyond 12 is read as the day."""
    if found := _YEAR_FIRST.match(text):
        return WrittenDate(int(found[1]), int(found[3]), int(found[4]), found.end(), found[2])
    if found := _NUMBERS.match(text):
        return _numbers(found, order)
    if (found := _DAY_MONTH.match(text)) and (month := months.get(found[2].lower())):
        return WrittenDate(_year(found[3]), month, int(found[1]), found.end())
    if (found := _MONTH_DAY.match(text)) and (month := months.get(found[1].lower())):
        return WrittenDate(_year(found[3]), month, int(found[2]), found.end())
    return None


def order_of(text: str) -> DayOrder | None:
    """Return the only possible order of a text that starts with a numeric date; None if both are possible."""
    found = _NUMBERS.match(text)
    first, second = (int(found[1]), int(found[3])) if found else (0, 0)
    if first > _MONTHS_MAX >= second:
        return DayOrder.DAY_FIRST
    return DayOrder.MONTH_FIRST if second > _MONTHS_MAX >= first else None


def read_clock(text: str) -> WrittenClock | None:
    """Return the time of day if the whole text is one, otherwise None."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    hour, minute = _hour(int(found["hour"]), found["half"]), int(found["minute"] or 0)
    second, part = int(found["second"] or 0), (found["part"] or "0").ljust(3, "0")[:3]
    if hour is None or minute > 59 or second > 59 or hour * 60 + minute >= MINUTES_PER_DAY:
        return None
    second_ms, after = second * 1_000 + int(part), found["half"] or found["oclock"] or ""
    offset_ms = _offset_ms(found["offset"])
    return WrittenClock(hour * 60 + minute, second_ms, offset_ms, found["mark"] or "", after)


def _numbers(found: re.Match[str], order: DayOrder) -> WrittenDate:
    first, second = int(found[1]), int(found[3])
    is_month_first = second > _MONTHS_MAX or (order is DayOrder.MONTH_FIRST and first <= _MONTHS_MAX)
    month, day = (first, second) if is_month_first else (second, first)
    return WrittenDate(_year(found[4]), month, day, found.end(), found[2])


def _year(written: str | None) -> int | None:
    if written is None:
        return None
    return int(written) + (_CENTURY if len(written) == 2 else 0)


def _hour(hour: int, half: str | None) -> int | None:
    """Return the hour of the day; None if it's out of range."""
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + (12 if half[0] in "pP" else 0)


def _offset_ms(offset: str | None) -> int | None:
    if offset is None:
        return None
    if offset[0] in "zZuUgG":
        return 0
    digits = offset[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return (1 if offset[0] == "+" else -1) * minutes * MINUTE_MS
