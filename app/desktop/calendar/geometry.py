"""Where each day is: the month is a long column of weeks, days with hours are a long row of columns.

Pure arithmetic on logical pixels. Coordinates start at the top left of the whole canvas, and the view shows a
part of it.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import accumulate
from typing import Protocol

from app.desktop import week
from app.desktop.calendar.placement import GAP, QUIET_HEIGHT, Box
from app.workspace.time.wall import MINUTES_PER_DAY

HOUR_HEIGHT = 48
_NARROWEST = 52
"""Minimum width of a column of hours at 100 %."""

HALF_HOUR = 30
"""Minutes between the stops of the keyboard among hours."""

HOURS_TOP = 8
"""Space above midnight for the first hour's label."""


def hour_height(scale: float) -> int:
    """Return the height of an hour at a text size: a card covers as much time as at 100 %."""
    return round(HOUR_HEIGHT * max(1.0, scale))


_SIX_ROWS_FROM = 138
"""Minimum height of a week to show six of them instead of five."""

_LEAST_HEIGHT = 85
"""Minimum height of a week at 100 %, for a number and two lines; it grows with text."""

_LEAST_PAST = 52
"""Minimum height of a past week of today's month at 100 %."""

_LINE = QUIET_HEIGHT + GAP + 1
"""How much higher than usual a past week may be at 100 %: by less than this."""

NeededHeight = Callable[[int, int], int]
"""Returns the height that a day (ordinal) needs to show all of its posts, at most a maximum."""

_SPAN_WEEKS = 1_044
"""Weeks before and after the anchor: twenty years each way."""

_FAR_DAYS = 7 * _SPAN_WEEKS // 2
"""Days between anchors."""


def anchor_near(day: int, today: int) -> int:
    """Return today, or for a distant day an anchor that is at most five years away from it."""
    return today + round((day - today) / _FAR_DAYS) * _FAR_DAYS


def within_weeks(day: int) -> int:
    """Return a day, or the nearest one in a whole week, because calendars have a first and a last year."""
    last = week.first_of(date.max.toordinal() - 6) + 6
    return max(week.first_of(7), min(day, last))


class Geometry(Protocol):
    """The positions of days, for the view."""

    @property
    def content_width(self) -> int: ...

    @property
    def content_height(self) -> int: ...

    def cell(self, day: int) -> Box:
        """Return a day's rectangle on the canvas."""
        ...

    def day_at(self, x: int, y: int) -> int | None:
        """Return the day at a point of the canvas."""
        ...

    def days_in(self, area: Box) -> Iterator[int]:
        """Return the days in a part of the canvas."""
        ...


@dataclass(frozen=True, slots=True)
class MonthGeometry:
    """Weeks as rows with seven equal columns; ``anchor`` is any day near the middle of the canvas.

    From the top of any week, exactly ``rows`` weeks fill ``height``; if it isn't divisible, some are a pixel
    higher. Some weeks may be fitted: from ``fitted_day`` on, they have the heights in ``fitted``, which fill
    ``height`` together.
    """

    width: int
    height: int
    rows: int
    anchor: int
    fitted_day: int = 0
    fitted: tuple[int, ...] = ()
    first_day: int = field(init=False)
    """The first day of the week at the top of the canvas."""
    weeks: int = field(init=False)
    _first_fitted: int = field(init=False)
    """The index of the first fitted week; without any, the one after the last week."""
    _tops: tuple[int, ...] = field(init=False)
    """The tops of the fitted weeks, and the bottom of the last, relative to the top of the first."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "first_day", _first_day(self.anchor))
        object.__setattr__(self, "weeks", _weeks(self.anchor))
        first = (self.fitted_day - self.first_day) // 7
        is_fitted = bool(self.fitted) and 0 <= first <= self.weeks - len(self.fitted)
        object.__setattr__(self, "_first_fitted", first if is_fitted else self.weeks)
        object.__setattr__(self, "_tops", tuple(accumulate(self.fitted if is_fitted else (), initial=0)))

    @property
    def content_width(self) -> int:
        return self.width

    @property
    def content_height(self) -> int:
        return self._top(self.weeks)

    def cell(self, day: int) -> Box:
        week, column = divmod(day - self.first_day, 7)
        left, top = _share(column, self.width, 7), self._top(week)
        return Box(left, top, _share(column + 1, self.width, 7) - left, self._top(week + 1) - top)

    def day_at(self, x: int, y: int) -> int | None:
        if not (0 <= x < self.width and 0 <= y < self.content_height):
            return None
        return self.first_day + 7 * self._week(y) + _index(x, self.width, 7)

    def days_in(self, area: Box) -> Iterator[int]:
        first = self._week(max(0, area.y))
        last = min(max(first, self._week(area.y + area.height - 1)), self.weeks - 1)
        return iter(range(self.first_day + 7 * first, self.first_day + 7 * (last + 1)))

    def _top(self, week: int) -> int:
        fitted = week - self._first_fitted
        if fitted <= 0:
            return _share(week, self.height, self.rows)
        count = len(self._tops) - 1
        if fitted < count:
            return _share(self._first_fitted, self.height, self.rows) + self._tops[fitted]
        return _share(week - count, self.height, self.rows) + self._tops[-1]

    def _week(self, y: int) -> int:
        down = y - _share(self._first_fitted, self.height, self.rows)
        if down < 0:
            return _index(y, self.height, self.rows)
        if down < self._tops[-1]:
            return self._first_fitted + bisect_right(self._tops, down) - 1
        return _index(y - self._tops[-1], self.height, self.rows) + len(self._tops) - 1


@dataclass(frozen=True, slots=True)
class HoursGeometry:
    """Days as columns; ``anchor`` is any day near the middle of the canvas.

    From the left of any day, exactly ``columns`` days fill ``width``.
    """

    width: int
    columns: int
    anchor: int
    hour: int = HOUR_HEIGHT
    first_day: int = field(init=False)
    """The day at the left of the canvas."""
    weeks: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "first_day", _first_day(self.anchor))
        object.__setattr__(self, "weeks", _weeks(self.anchor))

    @property
    def content_width(self) -> int:
        return self._left(7 * self.weeks)

    @property
    def content_height(self) -> int:
        return HOURS_TOP + 24 * self.hour

    @property
    def minute_height(self) -> float:
        return self.hour / 60

    def cell(self, day: int) -> Box:
        column = day - self.first_day
        left = self._left(column)
        return Box(left, HOURS_TOP, self._left(column + 1) - left, 24 * self.hour)

    def day_at(self, x: int, y: int) -> int | None:
        if not (0 <= x < self.content_width and 0 <= y < self.content_height):
            return None
        return self.first_day + self._column(x)

    def days_in(self, area: Box) -> Iterator[int]:
        first = self._column(max(0, area.x))
        last = min(max(first, self._column(area.x + area.width - 1)), 7 * self.weeks - 1)
        return iter(range(self.first_day + first, self.first_day + last + 1))

    def nearest_day(self, x: int) -> int:
        """Return the day whose left edge is nearest to an x coordinate of the canvas."""
        return self.first_day + self._column(x + self.width // self.columns // 2)

    def y_of(self, minute: int) -> int:
        """Return the y coordinate of a minute of the day on the canvas."""
        return HOURS_TOP + round(minute * self.minute_height)

    def minute_at(self, y: int, step: int) -> int:
        """Return the minute of the day at a y coordinate, snapped to ``step`` and kept within the day."""
        minute = (y - HOURS_TOP) / self.minute_height
        return max(0, min(MINUTES_PER_DAY - step, round(minute / step) * step))

    def _left(self, column: int) -> int:
        return _share(column, self.width, self.columns)

    def _column(self, x: int) -> int:
        return _index(x, self.width, self.columns)


def month_geometry(width: int, height: int, anchor: int, scale: float = 1) -> MonthGeometry:
    """Return the geometry for a viewport. A larger text ``scale`` gives fewer, higher weeks."""
    rows = 6 if height / 6 >= _SIX_ROWS_FROM else 5
    rows = max(2, min(rows, int(height / (_LEAST_HEIGHT * scale)))) if scale > 1 else rows
    return MonthGeometry(max(70, width), max(60 * rows, height), rows, anchor)


def past_weeks(today: int) -> range:
    """Return the days of the weeks of today's month that are over."""
    first = date.fromordinal(today).replace(day=1).toordinal()
    return range(week.first_of(first), week.first_of(today))


def fit_past_weeks(month: MonthGeometry, today: int, scale: float, needed: NeededHeight) -> MonthGeometry:
    """Return the geometry with the past weeks of today's month as high as they need.

    At most a line higher than usual, because "+1 more" would take as much room as the post. The weeks after
    them share the rest of the view, and are at least as high as usual. If a small view lacks the room for
    that, the earliest past weeks are as high as usual, too.
    """
    usual, least = month.height // month.rows, round(_LEAST_PAST * scale)
    most = usual + round(_LINE * scale)
    past = deque[int]()
    rest, begins = month.height, past_weeks(today).stop
    for start in reversed(past_weeks(today)[::7]):
        height = max(min(least, usual), *(needed(day, most) for day in range(start, start + 7)))
        if height >= most:
            height = usual
        if rest - height < usual:
            break
        past.appendleft(height)
        rest, begins = rest - height, start
    if not past:
        return month
    rows = rest * month.rows // month.height
    shares = (_share(row + 1, rest, rows) - _share(row, rest, rows) for row in range(rows))
    return replace(month, fitted_day=begins, fitted=(*past, *shares))


def hours_geometry(width: int, columns: int, anchor: int, scale: float) -> HoursGeometry:
    """Return the geometry for a viewport, with only as many columns as can show a time."""
    most = max(1, int(width / (_NARROWEST * scale)))
    return HoursGeometry(width, min(columns, most), anchor, hour_height(scale))


def _first_day(anchor: int) -> int:
    return within_weeks(week.first_of(anchor) - 7 * _SPAN_WEEKS)


def _weeks(anchor: int) -> int:
    """Return the number of whole weeks on a canvas."""
    end = within_weeks(week.first_of(anchor) + 7 * _SPAN_WEEKS - 1)
    return (end + 1 - _first_day(anchor)) // 7


def _share(index: int, length: int, parts: int) -> int:
    """Return where a part starts if every ``parts`` of them fill ``length``."""
    return index * length // parts


def _index(place: int, length: int, parts: int) -> int:
    """Return the last part that begins at or before ``place``."""
    return (place * parts + parts - 1) // length
