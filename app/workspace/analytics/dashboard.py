"""Views of a dataset: totals, lines, the heat map, posts in an order. Pure, and quick enough to wait for."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.workspace.analytics.dataset import NONE, Dataset, Flags, Whole
from app.workspace.analytics.figures import COUNTED, Figure, Source, Span

Numbers = NDArray[np.float64]

HEAT_DAYS: Final = 90
ENOUGH_IN_HOUR: Final = 3
"""Posts of an hour of the week, before it is called the best."""
_HOURS: Final = 168


@dataclass(frozen=True, slots=True)
class Choice:
    """What is looked at. ``sources`` are keys; none of them means all."""

    span: Span
    sources: frozenset[str] = field(default_factory=frozenset)


class Tile(NamedTuple):
    """A figure in the span.

    Attributes:
        figure: Which.
        total: What came in, or the level at the end; None where no platform told.
        before: The same of the span before; None where that is not known.
        spark: By day of the span, up to the last complete one; NaN where nobody told.
        silent: Platforms, of those chosen, that report no such figure.
    """

    figure: Figure
    total: int | None
    before: int | None
    spark: Numbers
    silent: tuple[str, ...]


class Line(NamedTuple):
    """A figure of a source, by day of the span up to the last complete one; NaN where nobody told."""

    source: Source
    values: Numbers
    total: float


class Heat(NamedTuple):
    """Interactions per post, by weekday and hour of publishing.

    Attributes:
        typical: 7 by 24, from Monday on; NaN where nothing was published.
        posts: The same places: how many.
        best: The hour of the week that did best, 0 to 167; None while no hour has enough posts.
    """

    typical: Numbers
    posts: Whole
    best: int | None

    @property
    def all_posts(self) -> int:
        """How many in all."""
        return int(self.posts.sum())

    def is_like(self, other: "Heat") -> bool:
        """Whether the same is told of every hour."""
        same = np.array_equal(self.typical, other.typical, equal_nan=True)
        return same and np.array_equal(self.posts, other.posts)


def chosen_places(data: Dataset, choice: Choice) -> Whole:
    """Places of the sources that are looked at."""
    keys: Collection[str] = choice.sources or [source.key for source in data.sources]
    return np.array(sorted(data.places[key] for key in keys if key in data.places), np.int64)


def tiles(data: Dataset, choice: Choice) -> list[Tile]:
    """Every figure."""
    return [tile(data, choice, figure) for figure in Figure]


def tile(data: Dataset, choice: Choice, figure: Figure) -> Tile:
    """One figure."""
    chosen = chosen_places(data, choice)
    tells = _telling(data, chosen, figure)
    silent = sorted({data.sources[place].platform for place in chosen[~data.reported[chosen, figure.place]]})
    spark = _together(_values(data, tells, figure, choice.span), figure)
    total = before = None
    if tells.size:
        work = _level if figure is Figure.FOLLOWERS else _sum
        total, before = work(data, tells, figure, choice.span)
    return Tile(figure, total, before, spark, tuple(silent))


def lines(data: Dataset, choice: Choice, figure: Figure) -> list[Line]:
    """Sources that have the figure, those with most of it first."""
    chosen = chosen_places(data, choice)
    tells = _telling(data, chosen, figure)
    values = _values(data, tells, figure, choice.span)
    weights = [float(np.nansum(row)) if row.size else 0.0 for row in values]
    found = [
        Line(data.sources[place], row, weight)
        for place, row, weight in zip(tells, values, weights, strict=True)
        if row.size and not np.isnan(row).all()
    ]
    return sorted(found, key=lambda line: (-line.total, line.source.key))


def heat(data: Dataset, choice: Choice) -> Heat:
    """Of the posts of the last 90 days of which anything is known, whatever the span."""
    mine = _mine(data, choice) & (data.item_day > data.today - HEAT_DAYS) & (data.item_day <= data.today)
    interactive: Flags = np.any(data.reported[:, 1 : len(COUNTED)], axis=1)
    mine &= (data.totals[0] != NONE) & interactive[data.item_source]
    hours = data.item_hour[mine]
    posts = np.bincount(hours, minlength=_HOURS)
    sums = np.bincount(hours, data.totals[1:, mine].sum(axis=0), minlength=_HOURS)
    with np.errstate(invalid="ignore"):
        typical = np.where(posts > 0, sums / np.maximum(posts, 1), np.nan)
    enough = np.where(posts >= ENOUGH_IN_HOUR, sums, -1.0) / np.maximum(posts, 1)
    best = int(enough.argmax()) if (posts >= ENOUGH_IN_HOUR).any() else None
    return Heat(typical.reshape(7, 24), posts.reshape(7, 24), best)


def posts(data: Dataset, choice: Choice, figure: Figure, *, best_first: bool = True) -> Whole:
    """Places of the items that were published in the span, in the order of a figure.

    Those of which it is not known come last either way; the newest of equals comes first.
    """
    span = choice.span
    found = np.flatnonzero(_mine(data, choice) & (data.item_day >= span.first) & (data.item_day <= span.last))
    place = figure.place if figure in COUNTED else Figure.VIEWS.place
    count = data.totals[place, found]
    unknown = (count == NONE) | ~data.reported[data.item_source[found], place]
    newest_first = -(data.item_day[found] * 24 + data.item_hour[found] % 24)
    order = np.lexsort((newest_first, -count if best_first else count, unknown))
    return found[order]


def posting_days(data: Dataset, choice: Choice) -> dict[str, list[int]]:
    """Days of the span on which something was published, by the key of the source."""
    span = choice.span
    mine = np.flatnonzero(_mine(data, choice) & (data.item_day >= span.first) & (data.item_day <= span.last))
    went_out = np.zeros((len(data.sources), span.days), np.bool_)
    went_out[data.item_source[mine], data.item_day[mine] - span.first] = True
    found: dict[str, list[int]] = {}
    for place, day in np.argwhere(went_out).tolist():
        found.setdefault(data.sources[place].key, []).append(span.first + day)
    return found


def _mine(data: Dataset, choice: Choice) -> Flags:
    is_chosen = np.zeros(len(data.sources), np.bool_)
    is_chosen[chosen_places(data, choice)] = True
    mine: Flags = is_chosen[data.item_source]
    return mine


def _slice(data: Dataset, span: Span) -> slice:
    return slice(max(0, span.first - data.first_day), max(0, span.last - data.first_day + 1))


def _values(data: Dataset, places: Whole, figure: Figure, span: Span) -> Numbers:
    """By source and day, up to the last complete day."""
    days = _slice(data, Span(span.first, min(span.last, data.complete)))
    if figure is Figure.FOLLOWERS:
        return _carried(data.levels[places, : days.stop])[:, days.start :]
    gains = data.gains[figure.place][places, days].astype(np.float64)
    return np.where(data.sampled[places, days], gains, np.nan)


def _carried(levels: Whole) -> Numbers:
    """Levels that go on until the next is told; NaN before the first."""
    if not levels.size:
        return levels.astype(np.float64)
    days = np.where(levels > 0, np.arange(levels.shape[1]), 0)
    carried = np.take_along_axis(levels, np.maximum.accumulate(days, axis=1), axis=1)
    return np.where(carried > 0, carried.astype(np.float64), np.nan)


def _together(values: Numbers, figure: Figure) -> Numbers:
    """Of all sources; a level is that of all only where each is known."""
    known = ~np.isnan(values)
    enough = known.all(axis=0) if figure is Figure.FOLLOWERS else known.any(axis=0)
    total: Numbers = np.where(enough, np.nansum(values, axis=0), np.nan)
    return total


def _telling(data: Dataset, places: Whole, figure: Figure) -> Whole:
    """Those of the places whose platform reports the figure."""
    tells: Flags = data.reported[places, figure.place]
    if figure is Figure.FOLLOWERS:
        tells = tells & _tells_followers(data)[places]
    found: Whole = places[tells]
    return found


def _sum(data: Dataset, places: Whole, figure: Figure, span: Span) -> tuple[int, int | None]:
    gains = data.gains[figure.place]
    total = int(gains[places, _slice(data, span)].sum())
    first = data.first_sampled
    if first is None or first > span.before.first:
        return total, None
    return total, int(gains[places, _slice(data, span.before)].sum())


def _level(data: Dataset, places: Whole, _figure: Figure, span: Span) -> tuple[int | None, int | None]:
    ends = [_last_level(data.levels[place, : span.last - data.first_day + 1]) for place in places]
    if not any(ends):
        return None, None
    begins = [_last_level(data.levels[place, : max(0, span.first - data.first_day)]) for place in places]
    is_comparable = all(begin for begin, end in zip(begins, ends, strict=True) if end)
    return sum(ends), sum(begins) if is_comparable else None


def _last_level(levels: NDArray[Any]) -> int:
    known = np.flatnonzero(levels)
    return int(levels[known[-1]]) if known.size else 0


def _tells_followers(data: Dataset) -> Flags:
    """Sources whose followers count: what belongs to no account repeats those of an account beside it."""
    told: list[bool] = np.any(data.levels, axis=1).tolist()
    with_account: set[str] = {
        source.platform for source, tells in zip(data.sources, told, strict=True) if source.is_known and tells
    }
    pairs = [
        tells and (source.is_known or source.platform not in with_account)
        for source, tells in zip(data.sources, told, strict=True)
    ]
    return np.array(pairs, np.bool_)
