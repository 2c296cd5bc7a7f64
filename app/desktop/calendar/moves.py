"""Where a drag or a key takes posts."""

from collections.abc import Iterable

from app.desktop.calendar.days import LocalDays
from app.workspace.posts.planned import PlannedPost
from app.workspace.time import moves
from app.workspace.time.moves import SNAP_MINUTES as SNAP
from app.workspace.time.moves import to_next_step as to_next_slot

__all__ = ["FINE_SNAP", "SNAP", "by_days", "by_minutes", "to_next_slot"]

FINE_SNAP = 1
"""Minutes that a drag in the week snaps to while it is held to the minute."""


def by_days(days: LocalDays, posts: Iterable[PlannedPost], delta: int) -> dict[str, int]:
    """Moves each post by whole days; every time of day stays, and so do the gaps."""
    return moves.times(moves.by_days(days, posts, delta))


def by_minutes(days: LocalDays, posts: Iterable[PlannedPost], delta: int) -> dict[str, int]:
    """Moves each post by minutes of the wall clock, over midnight where it must."""
    return moves.times(moves.by_minutes(days, posts, delta))
