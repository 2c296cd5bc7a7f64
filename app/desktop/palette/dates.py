"""Reads a day that somebody typed: "tomorrow", "friday", "3 March", "2027-03-03"."""

from datetime import date, datetime, timedelta

_RELATIVE = {"today": 0, "tomorrow": 1, "yesterday": -1, "next week": 7, "last week": -7}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WITH_YEAR = ("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%B %Y", "%b %Y")
_WITHOUT_YEAR = ("%d %B", "%d %b", "%B %d", "%b %d", "%d.%m.", "%B", "%b")
_SHORTEST = 3
_LEAP_YEARS_APART = 9


def read_date(typed: str, today: date) -> date | None:
    """The day that is meant, seen from ``today``; None when it is no day.

    A weekday is the next one, a day without its year the nearest one; a month begins with its first.
    """
    text = " ".join(typed.lower().replace(",", " ").split()).removeprefix("go to ")
    if len(text) < _SHORTEST:
        return None
    if text in _RELATIVE:
        return today + timedelta(days=_RELATIVE[text])
    return _weekday(text.removeprefix("next "), today) or _with_year(text) or _without_year(text, today)


def _weekday(text: str, today: date) -> date | None:
    index = next((i for i, name in enumerate(_WEEKDAYS) if name.startswith(text)), None)
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
