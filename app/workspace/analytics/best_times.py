"""The hours of the week in which an account's own posts did best. Pure functions.

A post counts once its first week is over, so that old and new posts are measured alike: by the highest count
from the third to the seventh day. Posts are grouped by hour of the week on the wall clock, and groups are
compared by their medians, because one viral post says little about its hour.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Final, NamedTuple

from app.workspace.analytics.counts import Measure, Sample
from app.workspace.time.wall import DAY_MS, WallClock, weekday

ENOUGH_POSTS: Final = 10
"""Minimum number of an account's posts before its best times are shown."""
ENOUGH_IN_HOUR: Final = 3
"""Minimum number of posts in an hour of the week before the hour is rated."""
MOST_TIMES: Final = 3
FIRST_DAY: Final = 3
LAST_DAY: Final = 7
_QUARTER: Final = 15


class BestTime(NamedTuple):
    """An hour of the week at which an account's posts did better than usual.

    Attributes:
        weekday: 0 is Monday.
        minute: Minute of the day: the quarter-hour in which most of the posts were published.
        posts: Number of posts behind it.
        typical: Median of their counts.
    """

    weekday: int
    minute: int
    posts: int
    typical: float

    @property
    def hour(self) -> int:
        """0 to 23."""
        return self.minute // 60


@dataclass(frozen=True, slots=True)
class BestTimes:
    """The result of an account's own numbers.

    Attributes:
        measure: The metric that is compared; None if no platform has reported any.
        posts: Number of posts with this metric.
        unreported: Number of sampled posts without it.
        usual: Median of all posts with this metric.
        times: The best hours, best first; empty if none is better than usual, or there are too few posts.
        sampled_on: Day of the last sample of any post.
    """

    measure: Measure | None = None
    posts: int = 0
    unreported: int = 0
    usual: float = 0.0
    times: tuple[BestTime, ...] = ()
    sampled_on: date | None = None

    @property
    def missing(self) -> int:
        """Number of posts that are still needed."""
        return max(0, ENOUGH_POSTS - self.posts)


class _Outcome(NamedTuple):
    published_at: int
    counts: Mapping[Measure, int]


def best_times(
    samples: Iterable[Sample], last_sampled: Mapping[str, date], clock: WallClock, now: int
) -> dict[str, BestTimes]:
    """Return the best times of every account with samples, by account key, at a moment in ms."""
    outcomes = _outcomes(samples, now)
    return {key: _of_account(outcomes.get(key, ()), day, clock) for key, day in last_sampled.items()}


def _outcomes(samples: Iterable[Sample], now: int) -> dict[str, list[_Outcome]]:
    """The results of posts whose first week is over, by account."""
    by_post: defaultdict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in samples:
        is_over = now // DAY_MS - sample.published_at // DAY_MS > LAST_DAY
        if is_over and FIRST_DAY <= sample.day <= LAST_DAY:
            by_post[sample.account_key, sample.post_key].append(sample)
    found: defaultdict[str, list[_Outcome]] = defaultdict(list)
    for (account_key, _), own in by_post.items():
        counts = {measure: max(sample.count(measure) for sample in own) for measure in Measure}
        found[account_key].append(_Outcome(own[0].published_at, counts))
    return found


def _of_account(outcomes: Sequence[_Outcome], sampled_on: date, clock: WallClock) -> BestTimes:
    measure = _measure(outcomes)
    if measure is None:
        return BestTimes(unreported=len(outcomes), sampled_on=sampled_on)
    counted = [(one.published_at, one.counts[measure]) for one in outcomes if one.counts[measure] > 0]
    usual = float(median(count for _, count in counted))
    times = _best(_by_hour(counted, clock), usual) if len(counted) >= ENOUGH_POSTS else ()
    return BestTimes(measure, len(counted), len(outcomes) - len(counted), usual, times, sampled_on)


def _measure(outcomes: Iterable[_Outcome]) -> Measure | None:
    """The first metric that enough posts have; otherwise the one that most have."""
    reported = Counter(measure for one in outcomes for measure in Measure if one.counts[measure] > 0)
    enough = (measure for measure in Measure if reported[measure] >= ENOUGH_POSTS)
    return next(enough, max(Measure, key=lambda measure: reported[measure]) if reported else None)


def _by_hour(
    counted: Iterable[tuple[int, int]], clock: WallClock
) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """The minutes of the hour and the counts of posts, by weekday and hour."""
    hours: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for at, count in counted:
        day, minute = clock.place(at)
        hours[weekday(day), minute // 60].append((minute % 60, count))
    return hours


def _best(hours: Mapping[tuple[int, int], Sequence[tuple[int, int]]], usual: float) -> tuple[BestTime, ...]:
    found = [
        BestTime(day, hour * 60 + _usual_quarter(posts), len(posts), float(median(counts)))
        for (day, hour), posts in hours.items()
        if len(counts := [count for _, count in posts]) >= ENOUGH_IN_HOUR
    ]
    better = sorted(
        (time for time in found if time.typical > usual),
        key=lambda time: (-time.typical, -time.posts, time.weekday, time.minute),
    )
    return tuple(better[:MOST_TIMES])


def _usual_quarter(posts: Sequence[tuple[int, int]]) -> int:
    """The first minute of the quarter-hour in which most posts were published; the first of several."""
    quarters = Counter(minute // _QUARTER * _QUARTER for minute, _ in posts)
    return min(quarters, key=lambda quarter: (-quarters[quarter], quarter))
