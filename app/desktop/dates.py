"""Reads a day that somebody typed: "tomorrow", "friday", "3 March", "2027-03-03"."""

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from PySide6.QtCore import QLocale

from app.language import month_name, month_short, trc, weekday_name

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
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_WITH_YEAR = ("%Y-%m-%d", "%d.%m.%Y", "%d month%m %Y", "month%m %d %Y", "month%m %Y")
_WITHOUT_YEAR = ("%d month%m", "month%m %d", "%d.%m.", "month%m")
_ORDINAL = re.compile(r"(?<=\d)\.(?= [^\W\d])")
"""The dot of a German ``3. März``."""

_DAY_OF_MONTH = re.compile(r"[0-9]{1,2}\.?")
_NUMBERS = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<sign>[./-])\s*(?P<second>[0-9]{1,2})(?:(?P=sign)\s*(?P<year>[0-9]{4}|[0-9]{2})?)?"
)
_MONTHS_MAX, _CENTURY = 12, 2_000

_SHORTEST = 3
_SHORTEST_WEEKDAY = 2
_LEAP_YEARS_APART = 9


def read_date(typed: str, today: date) -> date | None:
    """The day that is meant, seen from ``today``; None when it is no day.

    A weekday is the next one, a day without its year the nearest one; a month begins with its first.
    """
    text = _without(" ".join(typed.lower().replace(",", " ").split()), _BEFORE)
    if len(text) < _SHORTEST:
        return None
    if text in _RELATIVE:
        return today + timedelta(days=_RELATIVE[text])
    weekday = _weekday(_without(text, _COMING), today)
    text = " ".join(map(_with_number, _ORDINAL.sub("", text).split()))
    return weekday or _with_year(text) or _without_year(text, today)


def read_in_field(typed: str, today: date, shown: date) -> date | None:
    """The day that is meant in a field that shows a day; also a day of that month, and numbers in any order.

    Numbers with slashes have the month first where this computer's region writes it first.
    """
    text = typed.strip()
    if _DAY_OF_MONTH.fullmatch(text):
        return _day(shown.year, shown.month, int(text.rstrip(".")))
    found = _NUMBERS.fullmatch(text)
    if found is None:
        return read_date(text, today)
    first, second, year = int(found["first"]), int(found["second"]), found["year"]
    day, month = (second, first) if found["sign"] == "/" and _month_first() else (first, second)
    if month > _MONTHS_MAX:
        day, month = month, day
    if not year:
        years = (today.year - 1, today.year, today.year + 1)
        near = [one for each in years if (one := _day(each, month, day))]
        return min(near, key=lambda one: abs(one - today), default=None)
    return _day(int(year) + (_CENTURY if len(year) < len("2026") else 0), month, day)


def _month_first() -> bool:
    return QLocale.system().dateFormat(QLocale.FormatType.ShortFormat).lower().startswith("m")


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def looks_like_day(typed: str) -> bool:
    """Whether lower-case words can only be a day: "tomorrow", "next friday", "3 march"; it is fast."""
    if typed in _RELATIVE or _without(typed, _COMING) in (*_OWN_WEEKDAYS, *_WEEKDAYS):
        return True
    words = typed.split()
    numbers = [word[0].isdigit() for word in words]
    return any(numbers) and all(
        is_number or word.rstrip(".,") in _MONTH_NUMBERS
        for word, is_number in zip(words, numbers, strict=True)
    )


def read_short_weekday(typed: str, today: date) -> date | None:
    """The next day whose name begins with at least two lower-case letters: "fr", "fri"."""
    return _weekday(typed, today) if len(typed) >= _SHORTEST_WEEKDAY else None


def _month_numbers() -> dict[str, str]:
    """What stands for a month's name, in English and in the language that is spoken, whole and short."""
    found: dict[str, str] = {}
    for number, name in enumerate(_MONTHS, 1):
        first = date(2000, number, 1)
        for known in (name, name[:3], month_name(first).lower(), month_short(first).lower().rstrip(".")):
            found[known] = f"month{number}"
    return found


_MONTH_NUMBERS = _month_numbers()


def _with_number(word: str) -> str:
    return _MONTH_NUMBERS.get(word.rstrip("."), word)


def _without(text: str, beginnings: Iterable[str]) -> str:
    for beginning in beginnings:
        text = text.removeprefix(f"{beginning} ")
    return text


def _weekday(text: str, today: date) -> date | None:
    names = (*enumerate(_OWN_WEEKDAYS), *enumerate(_WEEKDAYS))
    index = next((day for day, name in names if name.startswith(text)), None)
    return None if index is None else today + timedelta(days=(index - today.weekday() - 1) % 7 + 1)


def _with_year(text: str) -> date | None:
    return next((day for form in _WITH_YEAR if (day := _parsed(text, form))), None)


def _without_year(text: str, today: date) -> date | None:
    """The year is written behind, since a 29 February is none without one."""
    for form in _WITHOUT_YEAR:
        years = range(today.year - 1, today.year + _LEAP_YEARS_APART)
        days = [day for year in years if (day := _parsed(f"{text} {year}", f"{form} %Y"))]
        if days:
            return min(days, key=lambda day: abs(day - today))
    return None


def _parsed(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).date()  # noqa: DTZ007  a day has no zone
    except ValueError:
        return None
