"""How a post has grown since it was published, compared with others of its account."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final, NamedTuple

Numbers = Sequence[float | None]

_MOST_DAYS: Final = 120


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
