"""How a post grew since it was published, beside the others of its account. Imported when first needed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.workspace.analytics.dataset import Columns, Whole

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


def curve(columns: Columns, days: Whole, item_day: Whole, item: int, figure: int) -> Curve:
    """Of an item of the columns, which hold the samples of its account; ``days`` are those of the samples."""
    age = days - item_day[columns.item]
    chosen = (item_day[columns.item] > 0) & (age >= 0) & (age < _MOST_DAYS)
    places, age = columns.item[chosen], age[chosen]
    counts = columns.counts[figure][chosen]
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
