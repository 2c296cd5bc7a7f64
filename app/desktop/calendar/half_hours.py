"""The stops of the arrow keys among hours: posts, and half hours without any."""

from typing import Final

from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.geometry import HALF_HOUR, within_weeks
from app.desktop.calendar.model import PostListModel
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import MINUTE_MS

_MORNING: Final = 9 * 60
Stop = PlannedPost | int
"""A post, or the instant at which an empty half hour begins, in ms since 1970 UTC."""


class HalfHours:
    """Finds the stop next to a post or an empty half hour.

    Half hours in which posts begin aren't stops. Skipped ones are left out, and repeated ones come twice.
    """

    def __init__(self, posts: PostListModel, days: LocalDays) -> None:
        self._posts = posts
        self._days = days

    def after(self, post: PlannedPost, direction: int) -> Stop:
        """Return the stop after (1) or before (-1) a post."""
        return self._next(post.at, self._posts.row_of(post.key) + direction, direction)

    def first_of(self, day: int) -> int:
        """Return the half hour to start from on a day without posts."""
        return self._half_hour(self._days.instant(day, _MORNING))

    def beside(self, at: int, right: int, down: int) -> Stop:
        """Return the stop next to an empty half hour: the same time of another day, or the next one."""
        if not right:
            return self._next(at, self._posts.first_row_from(at) - (0 if down > 0 else 1), down)
        day, minute = self._days.place(at)
        half = self._half_hour(self._days.instant(within_weeks(day + right), minute))
        post = self._post(self._posts.first_row_from(half))
        return post if post is not None and self._half_hour(post.at) == half else half

    def _next(self, at: int, row: int, direction: int) -> Stop:
        """Return the post of a row, unless an empty half hour is on the way to it."""
        post, half = self._post(row), self._half_hour(at)
        following = self._half_hour(half + HALF_HOUR * MINUTE_MS if direction > 0 else half - 1)
        return post if post is not None and self._half_hour(post.at) in (half, following) else following

    def _post(self, row: int) -> PlannedPost | None:
        return self._posts.post_at(row) if 0 <= row < self._posts.rowCount() else None

    def _half_hour(self, at: int) -> int:
        """Return when the half hour of an instant begins on the wall clock."""
        return at - self._days.second_ms(at) - self._days.place(at).minute % HALF_HOUR * MINUTE_MS
