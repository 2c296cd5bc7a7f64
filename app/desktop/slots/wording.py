"""Best times in a person's words."""

from datetime import date, datetime
from typing import Final

from app.desktop.words import clock, date_short, day
from app.language import number, tr, trn, weekday_name
from app.workspace.analytics.best_times import ENOUGH_POSTS, BestTime, BestTimes
from app.workspace.analytics.counts import Measure

DAYS: Final = tuple(weekday_name(date.fromordinal(day)) for day in range(1, 8))  # the first was a Monday
LOADING: Final = tr("Analyzing your posts…")
_BASES: Final = {
    Measure.VIEWS: tr("by views, last sampled {day}"),
    Measure.LIKES: tr("by likes, last sampled {day}"),
    Measure.COMMENTS: tr("by comments, last sampled {day}"),
    Measure.SHARES: tr("by shares, last sampled {day}"),
}


def time_words(weekday: int, minute: int) -> str:
    """``Tuesday 18:30``."""
    return f"{DAYS[weekday]} {minute // 60:02}:{minute % 60:02}"


def reason(time: BestTime, found: BestTimes) -> str:
    """Why it is a good one: ``1.9 times the usual, from 5 of your posts``."""
    times = time.typical / found.usual
    if times < 1.1:
        return tr("slightly above average, from {n} of your posts", n=time.posts)
    more = number(times, 1)
    return tr("{times} times the average, from {n} of your posts", times=more, n=time.posts)


def basis(found: BestTimes) -> str:
    """What is compared, and how new it is; empty while there is nothing to compare."""
    if found.measure is None or found.sampled_on is None:
        return ""
    return _BASES[found.measure].format(day=date_short(found.sampled_on))


def lack(found: BestTimes | None, platform: str) -> str:
    """Why there are no best times; empty where there are some. None: nothing was sampled yet."""
    known = found or BestTimes()
    if known.times:
        return ""
    if known.measure is None and known.unreported:
        return tr("No best times: {platform} doesn't report metrics.", platform=platform)
    if known.missing:
        return trn(
            "Best times need {enough} posts older than a week; {n} more to go.",
            "Best times need {enough} posts older than a week; {n} more to go.",
            known.missing,
            enough=ENOUGH_POSTS,
        )
    return tr("No hour of the week stands out among {n} posts.", n=known.posts)


def offline(asked: datetime | None) -> str:
    """What is said while the service is away; ``asked`` is when it told the numbers last."""
    if asked is None:
        return tr("The service can't be reached. Best times will appear once it's back.")
    away = tr("The service can't be reached.")
    return f"{away} {_asked(asked)}"


def failed(problem: str, asked: datetime | None) -> str:
    """What is said when the numbers could not be asked for."""
    return problem if asked is None else f"{problem} {_asked(asked)}"


def _asked(moment: datetime) -> str:
    return tr("Best times as of {day}, {time}.", day=day(moment), time=clock(moment))
