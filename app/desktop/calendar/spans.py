"""How much time shows: which period a day is in, its neighbours and its name. Pure arithmetic."""

from datetime import date
from enum import Enum

from app.desktop import week, words
from app.language import month_name, tr, trc

_MIDDLE = 3
_FIRST_MONTH, _LAST_MONTH = 12, 9_999 * 12 + 11
_LAST_DAY = date.max.toordinal()


class Span(Enum):
    """The ways to show days."""

    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    AGENDA = "agenda"

    @property
    def columns(self) -> int | None:
        """Number of days with hours side by side; None for a span without hours."""
        return {Span.WEEK: 7, Span.DAY: 1}.get(self)


NAMES = {Span.MONTH: tr("Month"), Span.WEEK: tr("Week"), Span.DAY: tr("Day"), Span.AGENDA: tr("Agenda")}


def first_day(span: Span, day: int) -> int:
    """The day that a period begins with: the first of the month or the week, or the day itself."""
    if span is Span.MONTH:
        return date.fromordinal(day).replace(day=1).toordinal()
    return week.first_of(day) if span is Span.WEEK else day


def turned(span: Span, day: int, direction: int) -> int:
    """The first day of the next (1) or the previous (-1) period."""
    if span is not Span.MONTH:
        return day + direction * (1 if span is Span.DAY else 7)
    shown = date.fromordinal(day)
    months = max(_FIRST_MONTH, min(shown.year * 12 + shown.month - 1 + direction, _LAST_MONTH))
    return date(months // 12, months % 12 + 1, 1).toordinal()


def title(span: Span, day: int) -> tuple[str, str]:
    """The name of the period that begins with a day, the part in bold and the part in quiet."""
    first = date.fromordinal(day)
    if span is Span.WEEK:
        return _week(first)
    if span is Span.DAY:
        return words.day_long(first), str(first.year)
    return month_name(first), str(first.year)


def week_number(span: Span, day: int) -> int | None:
    """The ISO week of a day, where hours show."""
    if span is Span.WEEK:
        day = min(day + _MIDDLE, _LAST_DAY)  # which is in the ISO week that most of these seven days are in
    return date.fromordinal(day).isocalendar().week if span.columns else None


def _week(first: date) -> tuple[str, str]:
    last = date.fromordinal(min(first.toordinal() + 6, _LAST_DAY))
    end, month = last.day, month_name(last)
    if first.month == last.month:
        name = tr("{first} – {last} {month}", first=first.day, last=end, month=month)  # noqa: RUF001  a range
    else:
        start = words.date_short(first)
        name = trc("weeks of two months", "{first} – {last} {month}", first=start, last=end, month=month)  # noqa: RUF001
    return name, str(last.year)
