"""Parses a date typed by the user: "tomorrow", "friday", "3 March", "2027-03-03"."""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from PySide6.QtCore import QLocale

from app.language import trc, weekday_name
from app.workspace.time.written import MONTHS, DayOrder, WrittenDate, day_of, find_date

_RELATIVE = {"today": 0, "tomorrow": 1, "yesterday": -1, "next week": 7, "last week": -7} | {
    trc("a day that is typed", "today"): 0,
    trc("a day that is typed", "tomorrow"): 1,
    trc("a day that is typed", "yesterday"): -1,
    trc("a day that is typed", "next week"): 7,
    trc("a day that is typed", "last week"): -7,
}
_BEFORE = ("go to", trc("before a day that is typed", "go to"))
_COMING = ("next", trc("before a weekday that is typed", "next"))
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_OWN_WEEKDAYS = tuple(weekday_name(date.fromordinal(day)).lower() for day in range(1, 8))
_YEAR: Final = re.compile(r"[0-9]{4}")
_DAY_OF_MONTH = re.compile(r"[0-9]{1,2}\.?")

_SHORTEST = 3
_SHORTEST_WEEKDAY = 2


def read_date(typed: str, today: date) -> date | None:
    """Return the date relative to ``today``; None if it isn't one.

    A weekday means the next one, a date without a year the nearest one, and a month its first day.
    """
    text = _without(" ".join(typed.lower().replace(",", " ").split()), _BEFORE)
    if len(text) < _SHORTEST:
        return None
    if text in _RELATIVE:
        return today + timedelta(days=_RELATIVE[text])
    return _weekday(_without(text, _COMING), today) or _written(text, today)


def read_in_field(typed: str, today: date, shown: date) -> date | None:
    """Return the date typed in a date field; also a day of the shown month, and numbers in any order.

    Numbers with slashes begin with the month if this computer's region does so.
    """
    text = typed.strip()
    if _DAY_OF_MONTH.fullmatch(text):
        return day_of(shown.year, shown.month, int(text.rstrip(".")))
    order = DayOrder.MONTH_FIRST if "/" in text and _month_first() else DayOrder.DAY_FIRST
    found = find_date(text, order)
    if found is None or found.end < len(text) or not found.sign:
        return read_date(text, today)
    return found.nearest(today)


def _month_first() -> bool:
    return QLocale.system().dateFormat(QLocale.FormatType.ShortFormat).lower().startswith("m")


def looks_like_day(typed: str) -> bool:
    """Whether lower-case words can only be a date: "tomorrow", "next friday", "3 march". Fast."""
    if typed in _RELATIVE or _without(typed, _COMING) in (*_OWN_WEEKDAYS, *_WEEKDAYS):
        return True
    words = typed.split()
    numbers = [word[0].isdigit() for word in words]
    return any(numbers) and all(
        is_number or word.rstrip(".,") in MONTHS for word, is_number in zip(words, numbers, strict=True)
    )


def read_short_weekday(typed: str, today: date) -> date | None:
    """Return the next day whose name begins with at least two lower-case letters: "fr", "fri"."""
    return _weekday(typed, today) if len(typed) >= _SHORTEST_WEEKDAY else None


def _without(text: str, beginnings: Iterable[str]) -> str:
    for beginning in beginnings:
        text = text.removeprefix(f"{beginning} ")
    return text


def _weekday(text: str, today: date) -> date | None:
    names = (*enumerate(_OWN_WEEKDAYS), *enumerate(_WEEKDAYS))
    index = next((day for day, name in names if name.startswith(text)), None)
    return None if index is None else today + timedelta(days=(index - today.weekday() - 1) % 7 + 1)


def _written(text: str, today: date) -> date | None:
    """Parse a complete date; numbers only in unambiguous formats: "24.12.", "2027-03-03"."""
    name, _, year = text.partition(" ")
    if month := MONTHS.get(name.rstrip(".")):
        if not year:
            return WrittenDate(None, month, 1, 0).nearest(today)
        if _YEAR.fullmatch(year):
            return day_of(int(year), month, 1)
    found = find_date(text, DayOrder.DAY_FIRST)
    if found is None or found.end < len(text) or not _is_plain(found, text):
        return None
    return found.nearest(today)


def _is_plain(found: WrittenDate, text: str) -> bool:
    """Whether numbers are in the only usual order for their separator."""
    if not found.sign:
        return True
    if found.sign == "-":
        return text[:4].isdigit()
    return found.sign == "." and not text[:4].isdigit() and (text.endswith(".") or text[-4:].isdigit())
