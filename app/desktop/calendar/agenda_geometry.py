"""The agenda: days below each other, each as high as its posts. Pure arithmetic on logical pixels."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, pairwise

from app.desktop.calendar.placement import Box, CardStyle, DayLayout, PlacedCard
from app.workspace.posts.planned import PlannedPost

ROW_HEIGHT = 40
ROW_GAP = 4
DAY_COLUMN = 164
"""Where the date stands, left of the posts."""

_PADDING = 8
_RIGHT = 12
_EMPTY_HEIGHT = 32
_LONGEST_GAP = 21
"""Days without a post that all show; of a longer gap only the first week does."""

_WEEK = 7
_LAST_DAY = date.max.toordinal()
_AHEAD = 14
"""Days that show after the last post."""


def days_to_show(with_posts: Sequence[int], today: int) -> list[int]:
    """The days of an agenda: those with posts (sorted), today, and the free ones around them."""
    marks = sorted({*with_posts, today})
    shown: list[int] = []
    for day, following in pairwise(marks):
        gap = following - day - 1
        shown += range(day, following if gap <= _LONGEST_GAP else day + _WEEK + 1)
    return [*shown, *range(marks[-1], min(marks[-1] + _AHEAD, _LAST_DAY + 1))]


@dataclass(frozen=True, slots=True)
class AgendaGeometry:
    """Days below each other; ``tops`` has one height more than there are days, the canvas's own."""

    width: int
    days: tuple[int, ...]
    tops: tuple[int, ...]

    @property
    def content_width(self) -> int:
        return self.width

    @property
    def content_height(self) -> int:
        return self.tops[-1]

    def cell(self, day: int) -> Box:
        """A day's rectangle; one that does not show has no height, between its neighbours."""
        place = bisect_left(self.days, day)
        if place == len(self.days) or self.days[place] != day:
            return Box(0, self.tops[place], self.width, 0)
        return Box(0, self.tops[place], self.width, self.tops[place + 1] - self.tops[place])

    def nearest(self, day: int, direction: int = 1) -> int:
        """A day, or the next one in a direction (1 or -1) where it does not show."""
        place = bisect_left(self.days, day)
        if place < len(self.days) and self.days[place] == day:
            return day
        return self.days[max(0, min(place if direction > 0 else place - 1, len(self.days) - 1))]

    def day_at(self, x: int, y: int) -> int | None:
        if not (0 <= x < self.width and 0 <= y < self.content_height):
            return None
        return self.days[bisect_right(self.tops, y) - 1]

    def days_in(self, area: Box) -> Iterator[int]:
        first = max(0, bisect_right(self.tops, area.y) - 1)
        return iter(self.days[first : bisect_left(self.tops, area.y + area.height)])


def agenda_geometry(
    width: int, with_posts: Sequence[int], count_of: Callable[[int], int], today: int, scale: float = 1
) -> AgendaGeometry:
    """The geometry for the days that have posts (sorted) and the number of posts of each.

    ``scale``: how large text is.
    """
    days = days_to_show(with_posts, today)
    heights = (round(_height(count_of(day)) * scale) for day in days)
    return AgendaGeometry(max(320, width), tuple(days), tuple(accumulate(heights, initial=0)))


def place_in_agenda(posts: Sequence[PlannedPost], width: int) -> DayLayout:
    """One row for each post of a day, in the order of time."""
    row = Box(DAY_COLUMN, _PADDING, width - DAY_COLUMN - _RIGHT, ROW_HEIGHT)
    pitch = ROW_HEIGHT + ROW_GAP
    cards = (
        PlacedCard(post, row.moved(0, index * pitch), CardStyle.LINE) for index, post in enumerate(posts)
    )
    return DayLayout(tuple(cards), (), None)


def _height(count: int) -> int:
    return count * (ROW_HEIGHT + ROW_GAP) - ROW_GAP + 2 * _PADDING if count else _EMPTY_HEIGHT
