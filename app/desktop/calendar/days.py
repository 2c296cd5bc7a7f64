"""Where on the calendar a moment is; the arithmetic is the workspace's."""

from datetime import datetime

from app.workspace.time.moves import to_day
from app.workspace.time.wall import MINUTES_PER_DAY, Moment, WallClock, monday_of, weekday

__all__ = ["MINUTES_PER_DAY", "LocalDays", "Moment", "monday_of", "weekday"]


class LocalDays(WallClock):
    """The wall clock of the zone that a calendar is shown in."""

    def moved_to_day(self, at: int, day: int) -> int:
        """The same time of day on another day."""
        return to_day(self, at, day).at

    def today(self, now: int | None = None) -> int:
        """The current day's ordinal."""
        return datetime.now(self.zone).date().toordinal() if now is None else super().today(now)
