"""How a post grew since it was published, beside the others of its account. Imported when first needed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.workspace.analytics.dataset import Whole

Numbers = NDArray[np.float64]
_MOST_DAYS = 120


class Curve(NamedTuple):
    """Counts by days since publishing, from 0 on; NaN where there is no sample.

    Attributes:
        own: Of the post, up to its last sample.
        median: Of the account's posts that were sampled so long after publishing; as many days.
        posts: How many posts the account has samples of.
    """

    own: Numbers
    median: Numbers
    posts: int


class Samples(NamedTuple):
    """Of an account, oldest first: places of items, ordinals of days, and what was counted by then."""

    item: Whole
    day: Whole
    told: Whole


def curve(samples: Samples, item_day: Whole, item: int) -> Curve:
    """Of an item of the account; ``item_day`` is when each of its items was published."""
    age = samples.day - item_day[samples.item]
    chosen = (item_day[samples.item] > 0) & (age >= 0) & (age < _MOST_DAYS)
    places, age, counts = samples.item[chosen], age[chosen], samples.told[chosen]
    own_items, row = np.unique(places, return_inverse=True)
    mine = places == item
    if not mine.any():
        return Curve(np.zeros(0), np.zeros(0), int(own_items.size))
    length = int(age[mine].max()) + 1
    table = np.full((own_items.size, _MOST_DAYS), np.nan)
    table[row, age] = counts
    table = table[:, :length]
    own = table[int(np.searchsorted(own_items, item))]
    told = ~np.isnan(table).all(axis=0)
    median = np.full(length, np.nan)
    median[told] = np.nanmedian(table[:, told], axis=0)
    return Curve(own, median, int(own_items.size))
