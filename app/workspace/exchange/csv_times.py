"""Dates and times as people and programs write them into tables. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import Enum
from types import MappingProxyType
from typing import Final

from app.language import tr
from app.workspace.time.wall import MINUTE_MS, MINUTES_PER_DAY


class DayOrder(Enum):
    """How 03/04/2026 is read."""

    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"


class UnreadableError(Exception):
    """A cell holds no time that can be read: a sentence. ``of_time``: the time of day is what is wrong."""

    def __init__(self, text: str, *, of_time: bool = False) -> None:
        super().__init__(text)
        self.of_time = of_time


@dataclass(frozen=True, slots=True)
class Written:
    """What stands in the cells.

    Attributes:
        day: The proleptic ordinal.
        minute: Of the day; None where no time of day stands there.
        second_ms: Milliseconds within the minute.
        offset_ms: How far the clock that is meant is ahead of UTC; None where no offset stands there.
    """

    day: int
    minute: int | None
    second_ms: int = 0
    offset_ms: int | None = None


_YEAR_FIRST: Final = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_YEAR_LAST: Final = re.compile(r"(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4}|\d{2})", re.ASCII)
_DAY_MONTH_YEAR: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+([^\W\d_]+)\.?,?[\s-]+(\d{4})")
_MONTH_DAY_YEAR: Final = re.compile(r"([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
_WEEKDAY: Final = re.compile(r"([^\W\d_]{2,10})\.?,?\s+(?=\d|[^\W\d_]+\.?\s+\d{1,2}\D)")
_TIME: Final = re.compile(
    r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?:uhr|h)?"
    r"\s*(?P<offset>z|utc|gmt|[+\-\u2212]\d{2}(?::?\d{2})?)?",
    re.ASCII | re.IGNORECASE,
)
_MONTHS: Final = MappingProxyType(
    {
        name: number
        for number, names in enumerate(
            (
                ("jan", "january", "januar", "jän", "jänner"),
                ("feb", "february", "februar"),
                ("mar", "march", "mär", "märz", "mrz"),
                ("apr", "april"),
                ("may", "mai"),
                ("jun", "june", "juni"),
                ("jul", "july", "juli"),
                ("aug", "august"),
                ("sep", "sept", "september"),
                ("oct", "october", "okt", "oktober"),
                ("nov", "november"),
                ("dec", "december", "dez", "dezember"),
            ),
            1,
        )
        for name in names
    }
)
_NO_DATE: Final = tr("“{cell}” isn't a date Kalends can read. Enter it like 2026-11-25.")
_NO_TIME: Final = tr("“{cell}” isn't a time Kalends can read. Enter it like 14:30.")
_CENTURY: Final = 2_000
_SHOWN_MAX: Final = 40


def read_time(date_cell: str, time_cell: str, order: DayOrder) -> Written:
    """What a date and a time of day mean together; the date may hold both. Raises UnreadableError."""
    day, rest = _day(" ".join(date_cell.split()), order)
    spoken = time_cell.strip() or rest
    if not spoken:
        return Written(day, None)
    return _with_time(day, " ".join(spoken.split()))


def looks_like_time(cell: str) -> bool:
    """Whether a cell holds a date, in whatever order."""
    try:
        read_time(cell, "", DayOrder.DAY_FIRST)
    except UnreadableError:
        return False
    return True


def order_in(cells: Iterable[str]) -> DayOrder:
    """The order that the dates of a column give away; of those that do not, slashes are American."""
    slashes = 0
    for cell in cells:
        matched = _YEAR_LAST.match(_without_weekday(" ".join(cell.split())))
        if matched is None:
            continue
        first, second = int(matched[1]), int(matched[3])
        if first > 12 >= second:
            return DayOrder.DAY_FIRST
        if second > 12 >= first:
            return DayOrder.MONTH_FIRST
        slashes += 1 if matched[2] == "/" else -1
    return DayOrder.MONTH_FIRST if slashes > 0 else DayOrder.DAY_FIRST


def _without_weekday(cell: str) -> str:
    matched = _WEEKDAY.match(cell)
    is_weekday = matched is not None and matched[1].lower() not in _MONTHS
    return cell[matched.end() :] if matched is not None and is_weekday else cell


def _day(cell: str, order: DayOrder) -> tuple[int, str]:
    """The day's ordinal, and what stands behind the date."""
    plain = _without_weekday(cell)
    parts = _numbers(plain, order) or _words(plain)
    if parts is None:
        raise UnreadableError(_NO_DATE.format(cell=cell[:_SHOWN_MAX]))
    (year, month, day), end = parts
    rest = plain[end:]
    if rest[:1].isdigit():
        raise UnreadableError(_NO_DATE.format(cell=cell[:_SHOWN_MAX]))
    try:
        return date(year, month, day).toordinal(), rest.lstrip("Tt, ")
    except ValueError as error:
        text = tr("“{cell}” isn't a real date.", cell=cell[:_SHOWN_MAX])
        raise UnreadableError(text) from error


def _numbers(cell: str, order: DayOrder) -> tuple[tuple[int, int, int], int] | None:
    if matched := _YEAR_FIRST.match(cell):
        return (int(matched[1]), int(matched[3]), int(matched[4])), matched.end()
    if (matched := _YEAR_LAST.match(cell)) is None:
        return None
    first, second, year = int(matched[1]), int(matched[3]), int(matched[4])
    month_first = second > 12 or (order is DayOrder.MONTH_FIRST and first <= 12)
    month, day = (first, second) if month_first else (second, first)
    return (year + _CENTURY if len(matched[4]) == 2 else year, month, day), matched.end()


def _words(cell: str) -> tuple[tuple[int, int, int], int] | None:
    if (matched := _DAY_MONTH_YEAR.match(cell)) and (month := _MONTHS.get(matched[2].lower())):
        return (int(matched[3]), month, int(matched[1])), matched.end()
    if (matched := _MONTH_DAY_YEAR.match(cell)) and (month := _MONTHS.get(matched[1].lower())):
        return (int(matched[3]), month, int(matched[2])), matched.end()
    return None


def _with_time(day: int, cell: str) -> Written:
    matched = _TIME.fullmatch(cell)
    if matched is None or not (matched["minute"] or matched["half"]):
        raise UnreadableError(_NO_TIME.format(cell=cell[:_SHOWN_MAX]), of_time=True)
    hour, minute = _hour(int(matched["hour"]), matched["half"]), int(matched["minute"] or 0)
    second, part = int(matched["second"] or 0), (matched["part"] or "0").ljust(3, "0")[:3]
    if hour is None or minute > 59 or second > 59 or hour * 60 + minute >= MINUTES_PER_DAY:
        raise UnreadableError(_NO_TIME.format(cell=cell[:_SHOWN_MAX]), of_time=True)
    return Written(day, hour * 60 + minute, second * 1_000 + int(part), _offset_ms(matched["offset"]))


def _hour(hour: int, half: str | None) -> int | None:
    """The hour of the day; None where there is no such hour."""
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
