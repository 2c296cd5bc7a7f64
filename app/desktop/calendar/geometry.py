"""Which day is where: the month as one long column of weeks, the week as seven columns of hours.

Pure arithmetic on logical pixels; content coordinates begin at the top left of the whole canvas, and the view
shows a window of it. Both geometries answer the same questions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from app.desktop.calendar.days import MINUTES_PER_DAY, monday_of
from app.desktop.calendar.placement import Box

HOUR_HEIGHT = 48
WEEK_TOP = 8
"""Room above midnight, so that the first hour's label is whole."""

_MONTH_SPAN_WEEKS = 1_044
"""Weeks before and after the anchor: twenty years each."""


class Geometry(Protocol):
    """What the view needs to know about the place of days."""

    @property
    def content_height(self) -> int: ...

    def cell(self, day: int) -> Box:
        """A day's rectangle on the canvas."""
        ...

    def day_at(self, x: int, y: int) -> int | None:
        """The day at a point of the canvas."""
        ...

    def days_between(self, top: int, bottom: int) -> Iterator[int]:
        """The days that show between two heights of the canvas."""
        ...


@dataclass(frozen=True, slots=True)
class MonthGeometry:
    """Weeks below each other, seven equal columns; ``anchor`` is any day near the middle of the canvas.

    From the top of any week exactly ``rows`` weeks fill ``height``: where it does not divide, some are a
    pixel higher than others.
    """

    width: int
    height: int
    rows: int
    anchor: int

    @property
    def first_day(self) -> int:
        """The Monday at the top of the canvas."""
        return max(1 + 6, monday_of(self.anchor) - 7 * _MONTH_SPAN_WEEKS)

    @property
    def content_height(self) -> int:
        return self._top(2 * _MONTH_SPAN_WEEKS)

    def cell(self, day: int) -> Box:
        week, column = divmod(day - self.first_day, 7)
        left, top = _left(column, self.width), self._top(week)
        return Box(left, top, _left(column + 1, self.width) - left, self._top(week + 1) - top)

    def day_at(self, x: int, y: int) -> int | None:
        if not (0 <= x < self.width and 0 <= y < self.content_height):
            return None
        return self.first_day + 7 * self._week(y) + _column(x, self.width)

    def days_between(self, top: int, bottom: int) -> Iterator[int]:
        first = self._week(max(0, top))
        last = max(first, self._week(bottom - 1))
        return iter(range(self.first_day + 7 * first, self.first_day + 7 * (last + 1)))

    def _top(self, week: int) -> int:
        return week * self.height // self.rows

    def _week(self, y: int) -> int:
        """The last week whose top is at ``y`` or above."""
        return (y * self.rows + self.rows - 1) // self.height


@dataclass(frozen=True, slots=True)
class WeekGeometry:
    """Seven days beside each other, 48 px an hour; ``monday`` is the week that shows."""

    width: int
    monday: int

    @property
    def content_height(self) -> int:
        return WEEK_TOP + 24 * HOUR_HEIGHT

    @property
    def minute_height(self) -> float:
        return HOUR_HEIGHT / 60

    def cell(self, day: int) -> Box:
        column = day - self.monday
        left = _left(column, self.width)
        return Box(left, WEEK_TOP, _left(column + 1, self.width) - left, 24 * HOUR_HEIGHT)

    def day_at(self, x: int, y: int) -> int | None:
        if not (0 <= x < self.width and 0 <= y < self.content_height):
            return None
        return self.monday + _column(x, self.width)

    def days_between(self, top: int, bottom: int) -> Iterator[int]:
        return iter(range(self.monday, self.monday + 7) if top < bottom else ())

    def y_of(self, minute: int) -> int:
        """The height of a minute of the day on the canvas."""
        return WEEK_TOP + round(minute * self.minute_height)

    def minute_at(self, y: int, step: int) -> int:
        """The minute of the day nearest to a height, snapped to ``step`` minutes and kept within the day."""
        minute = (y - WEEK_TOP) / self.minute_height
        return max(0, min(MINUTES_PER_DAY - step, round(minute / step) * step))


def _left(column: int, width: int) -> int:
    return column * width // 7


def _column(x: int, width: int) -> int:
    """The last column whose left edge is at ``x`` or before."""
    return (x * 7 + 6) // width
