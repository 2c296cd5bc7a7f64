"""What platforms count for single posts: samples, totals for lists, and growth over time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median
from typing import Final, NamedTuple

Numbers = Sequence[float | None]
_MOST_DAYS: Final = 120


class Measure(StrEnum):
    """A metric, by how much it says about a post's reach, best first; named as in the contract."""

    VIEWS = "views"
    LIKES = "likes"
    COMMENTS = "comments"
    SHARES = "shares"


class Sample(NamedTuple):
    """A post's counts up to a day.

    A service also sends 0 for metrics that a platform doesn't report, so a 0 alone means nothing.

    Attributes:
        account_key: Account of the post.
        post_key: Key of the post.
        published_at: When it was published, in ms since 1970 UTC.
        day: Days in UTC since then.
        views: Total up to that day, like all that follow.
        likes: The same.
        comments: The same.
        shares: The same.
    """

    account_key: str
    post_key: str
    published_at: int
    day: int
    views: int
    likes: int
    comments: int
    shares: int

    def count(self, measure: Measure) -> int:
        """Return the count of one metric."""
        found: int = getattr(self, measure.value)
        return found


class Counts(NamedTuple):
    """The last counts of a post; None for what its platform doesn't report."""

    views: int | None = None
    likes: int | None = None
    comments: int | None = None
    shares: int | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """The highest counts among the newest samples, by platform.

    A service writes 0 also for what a platform doesn't report, so a platform whose highest count is 0
    doesn't report it.
    """

    highest: Mapping[str, Counts] = field(default_factory=dict)

    @property
    def views(self) -> int:
        """The most views of a post on any platform."""
        return max((counts.views or 0 for counts in self.highest.values()), default=0)

    def reported(self, platform: str, counts: Counts) -> Counts:
        """Return counts without those that the platform doesn't report."""
        highest = self.highest.get(platform, Counts())
        return Counts(*(count if count or top else None for count, top in zip(counts, highest, strict=True)))


class Curve(NamedTuple):
    """Counts by days since publishing, from 0 on; None on days without a sample.

    Attributes:
        own: Counts of the post, up to its last sample.
        median: Median of the account's posts with a sample at that age; as many days.
        posts: Number of the account's posts with samples.
    """

    own: Numbers
    median: Numbers
    posts: int


def curve(samples: Iterable[tuple[int, int, int]], item: int) -> Curve:
    """Return the curve of an item of an account.

    ``samples``, oldest first: the place of an item, its age in days, and its counts by then. The last sample
    of a day counts.
    """
    by_age: defaultdict[int, dict[int, int]] = defaultdict(dict)
    items = set()
    for sampled, age, count in samples:
        if 0 <= age < _MOST_DAYS:
            items.add(sampled)
            by_age[age][sampled] = count
    own = [age for age, counts in by_age.items() if item in counts]
    ages = range(max(own) + 1) if own else ()
    return Curve(
        [by_age[age].get(item) for age in ages],
        [median(by_age[age].values()) if by_age[age] else None for age in ages],
        len(items),
    )
