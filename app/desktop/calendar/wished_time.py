"""The time at which somebody who points at the calendar wants to post."""

from typing import Final

from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.moves import SNAP, Target

_USUAL_MINUTE: Final = 9 * 60


def wished_time(days: LocalDays, now: int, target: Target) -> int | None:
    """The time of a target, not before the next quarter of an hour; None for a day that is over.

    A target without a minute means the morning. Times are milliseconds since 1970 UTC.
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
