"""The days of the history: a heading for each day of this week, for the last one, and for each month."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from operator import neg
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from app.desktop import week
from app.desktop.words import date_short, day, month_year
from app.language import month_name, tr, trc, weekday_name
from app.workspace.clock import to_millis

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)


class Section(NamedTuple):
    """A heading, and where its records begin.

    Attributes:
        first: The place of its first record among all, newest first.
        title: ``Today``, ``Friday``, ``Last week``, ``October 2025``.
        detail: Its days: ``Fri 20 Nov``, ``9 to 15 Nov`` as a range; empty for months.
        is_today: Whether it holds today's records.
        is_one_day: Whether its rows show times instead of days.
    """

    first: int
    title: str
    detail: str = ""
    is_today: bool = False
    is_one_day: bool = True


def sections(moments: Sequence[int], now: datetime) -> list[Section]:
    """Return the headings for moments in ms since 1970 UTC, newest first.

    Days are those of the zone of ``now``. Moments ahead of now count as today's.
    """
    zone, today = _zone(now), now.date()
    found: list[Section] = []
    first = 0
    while first < len(moments):
        newest = datetime.fromtimestamp(moments[first] / 1_000, zone).date()
        section, begins = _section(first, min(newest, today), today)
        found.append(section)
        start = to_millis(datetime.combine(begins, time(), zone))
        # The newest is in any case: a clock change may have taken the midnight it is compared with.
        first = max(first + 1, bisect_right(moments, -start, lo=first, key=neg))
    return found


def next_day(now: datetime) -> datetime:
    """Return the next midnight in the zone of ``now``, when headings change."""
    return datetime.combine(now.date() + _DAY, time(), _zone(now))


def _zone(now: datetime) -> ZoneInfo:
    zone = now.tzinfo
    assert isinstance(zone, ZoneInfo)  # noqa: S101  of the calendar
    return zone


def _section(first: int, newest: date, today: date) -> tuple[Section, date]:
    """Return a section, and the day on which it begins."""
    this_week = date.fromordinal(week.first_of(today.toordinal()))
    last_week = this_week - _WEEK
    if newest == today:
        return Section(first, tr("Today"), day(today), is_today=True), today
    if newest == today - _DAY:
        return Section(first, tr("Yesterday"), day(newest)), newest
    if newest >= this_week:
        return Section(first, weekday_name(newest), date_short(newest)), newest
    if newest >= last_week:
        days = _range(last_week, this_week - _DAY)
        return Section(first, tr("Last week"), days, is_one_day=False), last_week
    return Section(first, _month(newest, today), is_one_day=False), newest.replace(day=1)


def _month(newest: date, today: date) -> str:
    if newest.year != today.year:
        return month_year(newest)
    if newest.month == today.month:
        return tr("Earlier in {month}", month=month_name(newest))
    return month_name(newest)


def _range(first: date, last: date) -> str:
    is_same = first.month == last.month
    begins = trc("day of a month", "{day}", day=first.day) if is_same else date_short(first)
    return f"{begins} – {date_short(last)}"  # noqa: RUF001  a range
