"""Where a drag or a key takes posts. Pure arithmetic on the wall clock: clock changes move nothing."""

from collections.abc import Iterable

from app.desktop.calendar.days import MINUTES_PER_DAY, LocalDays
from app.workspace.posts.planned import PlannedPost

SNAP = 15
"""Minutes that a drag in the week snaps to."""

FINE_SNAP = 1


def by_days(days: LocalDays, posts: Iterable[PlannedPost], delta: int) -> dict[str, int]:
    """Moves each post by whole days; every time of day stays, and so do the gaps."""
    return {post.key: days.moved_to_day(post.at, days.place(post.at).day + delta) for post in posts}


def by_minutes(days: LocalDays, posts: Iterable[PlannedPost], delta: int) -> dict[str, int]:
    """Moves each post by minutes of the wall clock, over midnight where it must."""
    times: dict[str, int] = {}
    for post in posts:
        day, minute = days.place(post.at)
        shift, new_minute = divmod(minute + delta, MINUTES_PER_DAY)
        times[post.key] = days.instant(day + shift, new_minute, post.at % 60_000)
    return times


def to_next_slot(minute: int, direction: int) -> int:
    """Minutes to the next quarter of an hour in a direction (1 or -1): 10:07 goes to 10:15 or 10:00."""
    over = minute % SNAP
    if over == 0:
        return direction * SNAP
    return SNAP - over if direction > 0 else -over
