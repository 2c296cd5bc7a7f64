"""Where a drag, a key or a drop moves posts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.contract.enums import PostStatus
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.planner import Planner
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import MINUTE_MS, Landing, by_days, by_minutes, remark, times
from app.workspace.time.wall import SNAP_MINUTES as SNAP
from app.workspace.time.wall import to_next_step as to_next_slot

__all__ = [
    "FINE_SNAP",
    "SNAP",
    "Landings",
    "Target",
    "by_days",
    "by_instants",
    "by_minutes",
    "refusal",
    "remark",
    "staying",
    "step",
    "times",
    "to_next_slot",
]

FINE_SNAP = 1
"""Minutes to which a drag in the week snaps while Alt is held."""

Landings = Mapping[str, Landing]
"""Landings by key."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a drag would put the grabbed post: the day, and in days with hours the minute.

    ``again`` means the second pass of a minute that is repeated on that day.
    """

    day: int
    minute: int | None
    again: bool = False


def by_instants(posts: Iterable[PlannedPost], minutes: int) -> dict[str, Landing]:
    """Move each post by elapsed minutes, whatever the wall clock shows."""
    return {post.key: Landing(post.at + minutes * MINUTE_MS) for post in posts}


def step(days: LocalDays, posts: list[PlannedPost], direction: int) -> dict[str, Landing]:
    """Move by one step; the first post decides how far. On a day with a clock change, no time is skipped."""
    day, minute = days.place(posts[0].at)
    delta = to_next_slot(minute, direction)
    if days.change_on(day) is not None:
        return by_instants(posts, delta)
    return by_minutes(days, posts, delta)


def staying(posts: Iterable[PlannedPost]) -> list[PlannedPost]:
    """Return the posts that a move leaves where they are: cancelled ones."""
    return [post for post in posts if post.status is PostStatus.CANCELLED]


def refusal(planner: Planner, posts: Sequence[PlannedPost], times: Mapping[str, int]) -> str | None:
    """Return why posts can't be moved together; None if they can.

    Cancelled posts stay behind, so they only matter if all of the posts are cancelled.
    """
    moving = [post for post in posts if post.status is not PostStatus.CANCELLED] or posts
    found = (planner.refusal(post.key, times[post.key]) for post in moving if times[post.key] != post.at)
    return next((reason for reason in found if reason), None)


_USUAL_MINUTE: Final = 9 * 60


def wished_time(days: LocalDays, now: int, target: Target) -> int | None:
    """Return the time of a target, at the earliest the next quarter-hour; None for a past day.

    A target without a minute means 9:00. Times are in ms since 1970 UTC.
    """
    minute = _USUAL_MINUTE if target.minute is None else target.minute
    present = days.place(now)
    if target.day < present.day:
        return None
    if target.day == present.day:
        minute = max(minute, (present.minute // SNAP + 1) * SNAP)
    landing = days.land(target.day, minute)
    is_second = target.again or landing.at <= now
    return landing.other if is_second and landing.other is not None else landing.at
