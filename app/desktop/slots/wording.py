"""Best times in a person's words."""

from datetime import date, datetime
from typing import Final

from app.desktop.words import clock, counted, day
from app.workspace.analytics.best_times import ENOUGH_POSTS, BestTime, BestTimes

DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LOADING: Final = "Reading the numbers of your posts."
OFFLINE: Final = "The service cannot be reached. "


def time_words(weekday: int, minute: int) -> str:
    """``Tuesday 18:30``."""
    return f"{DAYS[weekday]} {minute // 60:02}:{minute % 60:02}"


def reason(time: BestTime, found: BestTimes) -> str:
    """Why it is a good one: ``1.9 times the usual, from 5 of your posts``."""
    times = time.typical / found.usual
    more = f"{times:.1f} times the usual" if times >= 1.1 else "a little above the usual"
    return f"{more}, from {counted(time.posts, 'of your post')}"


def basis(found: BestTimes) -> str:
    """What is compared, and how new it is; empty while there is nothing to compare."""
    if found.measure is None or found.sampled_on is None:
        return ""
    return f"by {found.measure.value}, last sampled {_day(found.sampled_on)}"


def lack(found: BestTimes | None, platform: str) -> str:
    """Why there are no best times; empty where there are some. None: nothing was sampled yet."""
    known = found or BestTimes()
    if known.times:
        return ""
    if known.measure is None and known.unreported:
        return f"No best times: {platform} reports no numbers of the posts."
    if known.missing:
        missing = f"{known.missing} {'is' if known.missing == 1 else 'are'} missing"
        return f"Best times need {ENOUGH_POSTS} posts older than a week, {missing}."
    return f"No hour of the week stands out among {known.posts} posts."


def offline(asked: datetime | None) -> str:
    """What is said while the service is away; ``asked`` is when it told the numbers last."""
    if asked is None:
        return f"{OFFLINE}Best times show once it is back."
    return f"{OFFLINE}Best times are those of {day(asked)}, {clock(asked)}."


def failed(problem: str, asked: datetime | None) -> str:
    """What is said when the numbers could not be asked for."""
    return problem if asked is None else f"{problem} Best times are those of {day(asked)}, {clock(asked)}."


def _day(told: date) -> str:
    return f"{told.day} {told:%b}"
