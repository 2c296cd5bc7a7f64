"""Dates and times in the cells of tables. Pure."""

import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from app.language import tr
from app.workspace.time.written import (
    TABLE_MONTHS,
    DayOrder,
    WrittenClock,
    day_of,
    find_date,
    order_of,
    read_clock,
)


class UnreadableError(Exception):
    """A cell holds no time that can be read: a sentence. ``of_time``: the time of day is what is wrong."""

    def __init__(self, text: str, *, of_time: bool = False) -> None:
        super().__init__(text)
        self.of_time = of_time


_WEEKDAY: Final = re.compile(r"([^\W\d_]{2,10})\.?,?\s+(?=\d|[^\W\d_]+\.?\s+\d{1,2}\D)")
_NO_DATE: Final = tr("“{cell}” isn't a date Kalends can read. Enter it like 2026-11-25.")
_NO_TIME: Final = tr("“{cell}” isn't a time Kalends can read. Enter it like 14:30.")
_SHOWN_MAX: Final = 40


def read_time(date_cell: str, time_cell: str, order: DayOrder) -> tuple[date, WrittenClock | None]:
    """Return the date and the time of day, None where there is none; the date's cell may hold both.

    Raises UnreadableError.
    """
    day, rest = _day(" ".join(date_cell.split()), order)
    time = " ".join((time_cell.strip() or rest).split())
    if not time:
        return day, None
    clock = read_clock(time)
    if clock is None or not (clock.mark or clock.after.lower().startswith(("a", "p"))):
        raise UnreadableError(_NO_TIME.format(cell=time[:_SHOWN_MAX]), of_time=True)
    return day, clock


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
        plain = _without_weekday(" ".join(cell.split()))
        written = find_date(plain, DayOrder.DAY_FIRST, {})
        if written is None or written.year is None or plain[:4].isdigit():
            continue
        if (order := order_of(plain)) is not None:
            return order
        slashes += 1 if written.sign == "/" else -1
    return DayOrder.MONTH_FIRST if slashes > 0 else DayOrder.DAY_FIRST


def _without_weekday(cell: str) -> str:
    matched = _WEEKDAY.match(cell)
    is_weekday = matched is not None and matched[1].lower() not in TABLE_MONTHS
    return cell[matched.end() :] if matched is not None and is_weekday else cell


def _day(cell: str, order: DayOrder) -> tuple[date, str]:
    """The day, and what stands behind the date."""
    plain = _without_weekday(cell)
    written = find_date(plain, order, TABLE_MONTHS)
    if written is None or written.year is None or plain[written.end : written.end + 1].isdigit():
        raise UnreadableError(_NO_DATE.format(cell=cell[:_SHOWN_MAX]))
    if (day := day_of(written.year, written.month, written.day)) is None:
        raise UnreadableError(tr("“{cell}” isn't a real date.", cell=cell[:_SHOWN_MAX]))
    return day, plain[written.end :].lstrip("Tt, ")
