"""Views of a dataset: totals, lines, heat map, sorted posts, tables. Pure; fast enough for the GUI thread."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from app.workspace.analytics.dataset import COUNTED, Dataset, Figure, Source, Span, Values

HEAT_DAYS: Final = 90
ENOUGH_IN_HOUR: Final = 3
"""Minimum number of posts in an hour of the week for it to be the best."""
_HOURS: Final = 168
_DAYS: Final = ("Day", "Platform", "Account", "Views", "Likes", "Comments", "Shares", "Followers", "Posts")
_POSTS: Final = (
    "Published at",
    "Platform",
    "Account",
    "Post",
    "Content id",
    "Views",
    "Likes",
    "Comments",
    "Shares",
)
Rows = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Choice:
    """The selection. ``sources`` are keys; empty means all."""

    span: Span
    sources: frozenset[str] = field(default_factory=frozenset)


class Tile(NamedTuple):
    """A figure over a span of days.

    Attributes:
        figure: The figure.
        total: The sum over the span, or the level at its end; None if no platform reports it.
        before: The same for the previous span; None if unknown.
        spark: Values by day of the span, up to the last complete day; None if not reported.
        silent: Selected platforms that don't report the figure.
    """

    figure: Figure
    total: int | None
    before: int | None
    spark: Values
    silent: tuple[str, ...]


class Line(NamedTuple):
    """A source's figure by day of the span, up to the last complete day; None if not reported."""

    source: Source
    values: Values
    total: int


class Heat(NamedTuple):
    """Interactions per post, by hour of the week at which it was published: 168 from Monday 0:00 on.

    Attributes:
        typical: Mean by hour; None if nothing was published.
        posts: Number of posts by hour.
        best: The best hour of the week, 0 to 167; None while no hour has enough posts.
    """

    typical: Sequence[float | None]
    posts: Sequence[int]
    best: int | None

    @property
    def all_posts(self) -> int:
        """Total number of posts."""
        return sum(self.posts)

    @property
    def most(self) -> float:
        """The mean of the best hour; the highest one while there's none, 0 if nothing was published."""
        if self.best is not None and (mean := self.typical[self.best]) is not None:
            return mean
        return max((mean for mean in self.typical if mean is not None), default=0.0)

    def is_rated(self, hour: int) -> bool:
        """Whether an hour has enough posts to be the best."""
        return self.posts[hour] >= ENOUGH_IN_HOUR


def chosen_places(data: Dataset, choice: Choice) -> list[int]:
    """Return the places of the selected sources."""
    if not choice.sources:
        return list(range(len(data.sources)))
    return sorted(data.places[key] for key in choice.sources if key in data.places)


def tiles(data: Dataset, choice: Choice) -> list[Tile]:
    """Return every figure."""
    return [tile(data, choice, figure) for figure in Figure]


def tile(data: Dataset, choice: Choice, figure: Figure) -> Tile:
    """Return one figure."""
    chosen = chosen_places(data, choice)
    tells = _telling(data, chosen, figure)
    silent = {data.sources[at].platform for at in chosen if not data.reported[at][figure.place]}
    spark = _together(_values(data, tells, figure, choice.span), figure)
    total = before = None
    if tells:
        work = _level if figure is Figure.FOLLOWERS else _sum
        total, before = work(data, tells, figure, choice.span)
    return Tile(figure, total, before, spark, tuple(sorted(silent)))


def lines(data: Dataset, choice: Choice, figure: Figure) -> list[Line]:
    """Return the sources with the figure, highest first."""
    tells = _telling(data, chosen_places(data, choice), figure)
    values = _values(data, tells, figure, choice.span)
    found = [
        Line(data.sources[at], row, _added(row))
        for at, row in zip(tells, values, strict=True)
        if any(value is not None for value in row)
    ]
    return sorted(found, key=lambda line: (-line.total, line.source.key))


def heat(data: Dataset, choice: Choice) -> Heat:
    """Return the heat map of the posts of the last 90 days with known counts, whatever the span."""
    posts, sums = [0] * _HOURS, [0] * _HOURS
    for place in _published(data, choice, Span(data.today - HEAT_DAYS + 1, data.today)):
        count = data.interactions[place]
        if count is not None:
            hour = data.item_hour[place]
            posts[hour] += 1
            sums[hour] += count
    typical = [total / count if count else None for total, count in zip(sums, posts, strict=True)]
    enough = [hour for hour in range(_HOURS) if posts[hour] >= ENOUGH_IN_HOUR]
    return Heat(typical, posts, max(enough, key=lambda hour: sums[hour] / posts[hour], default=None))


def posts(data: Dataset, choice: Choice, figure: Figure, *, best_first: bool = True) -> list[int]:
    """Return the places of the items published in the span, sorted by a figure.

    Items without the figure come last in either order; of equal items, the newest comes first.
    """
    counts = data.totals[figure.place if figure in COUNTED else Figure.VIEWS.place]
    found = sorted(_published(data, choice, choice.span), key=data.item_age.__getitem__)
    told = [place for place in found if counts[place] is not None]
    untold = [place for place in found if counts[place] is None] if len(told) < len(found) else []
    return [*sorted(told, key=counts.__getitem__, reverse=best_first), *untold]  # type: ignore[arg-type]


def posting_days(data: Dataset, choice: Choice) -> dict[str, list[int]]:
    """Return the days of the span on which something was published, by source key."""
    days = {
        data.sources[at].key: sorted({data.item_day[place] for place in _of_span(data, at, choice.span)})
        for at in chosen_places(data, choice)
    }
    return {key: own for key, own in days.items() if own}


def _published(data: Dataset, choice: Choice, span: Span) -> list[int]:
    """The places of the items published by the selected sources in a span."""
    return [place for at in chosen_places(data, choice) for place in _of_span(data, at, span)]


def _of_span(data: Dataset, source: int, span: Span) -> Sequence[int]:
    own, day = data.published[source], data.item_day.__getitem__
    return own[bisect_left(own, span.first, key=day) : bisect_right(own, span.last, key=day)]


def _values(data: Dataset, places: Iterable[int], figure: Figure, span: Span) -> list[Values]:
    """Values by source and day, up to the last complete day."""
    days = _slice(data, Span(span.first, min(span.last, data.complete)))
    rows = data.levels if figure is Figure.FOLLOWERS else data.gains[figure.place]
    return [rows[place][days] for place in places]


def _slice(data: Dataset, span: Span) -> slice:
    return slice(max(0, span.first - data.first_day), max(0, span.last - data.first_day + 1))


def _together(rows: Sequence[Values], figure: Figure) -> Values:
    """Values of all sources together; a total level needs every source's level."""
    days = zip(*rows, strict=True)
    if figure is Figure.FOLLOWERS:
        return [None if None in day else _added(day) for day in days]
    return [_added(day) if any(value is not None for value in day) else None for day in days]


def _added(values: Values) -> int:
    return sum(filter(None, values))


def _telling(data: Dataset, places: Iterable[int], figure: Figure) -> list[int]:
    """The places whose platform reports the figure."""
    tells = [place for place in places if data.reported[place][figure.place]]
    if figure is not Figure.FOLLOWERS:
        return tells
    # Items without an account repeat the followers of an account on the same platform.
    counted = [at for at, levels in enumerate(data.levels) if levels[-1] is not None]
    with_account = {data.sources[at].platform for at in counted if data.sources[at].is_known}
    alone = {at for at in counted if data.sources[at].platform not in with_account}
    return [place for place in tells if place in counted and (data.sources[place].is_known or place in alone)]


def _sum(data: Dataset, places: Sequence[int], figure: Figure, span: Span) -> tuple[int, int | None]:
    rows = [data.gains[figure.place][place] for place in places]
    total, before = (sum(_added(row[_slice(data, one)]) for row in rows) for one in (span, span.before))
    is_known = data.first_sampled is not None and data.first_sampled <= span.before.first
    return total, before if is_known else None


def _level(
    data: Dataset, places: Sequence[int], _figure: Figure, span: Span
) -> tuple[int | None, int | None]:
    ends = [_level_on(data, place, span.last) for place in places]
    if not any(ends):
        return None, None
    begins = [_level_on(data, place, span.first - 1) for place in places]
    is_comparable = all(begin for begin, end in zip(begins, ends, strict=True) if end)
    return sum(ends), sum(begins) if is_comparable else None


def _level_on(data: Dataset, place: int, day: int) -> int:
    """The level at the end of a day; 0 before the first is known."""
    at = min(day, data.today) - data.first_day
    return data.levels[place][at] or 0 if at >= 0 else 0


def day_rows(data: Dataset, choice: Choice) -> tuple[Sequence[str], Rows]:
    """Return a row for each day of the span and each account, up to the last complete day."""
    told = {
        (line.source.key, figure): line.values for figure in Figure for line in lines(data, choice, figure)
    }
    keys = {key for key, _ in told}
    sources = [source for source in data.sources if source.key in keys]
    days = posting_days(data, choice)
    last = max((len(values) for values in told.values()), default=0)
    rows = []
    for place in range(last):
        day = choice.span.first + place
        for source in sources:
            found = [told.get((source.key, figure)) for figure in Figure]
            numbers = [_told(values, place) for values in found]
            posts = days.get(source.key, []).count(day)
            name = source.name if source.is_known else ""
            rows.append((date.fromordinal(day).isoformat(), source.platform, name, *numbers, str(posts)))
    return _DAYS, rows


def post_rows(data: Dataset, places: Sequence[int], zone: ZoneInfo) -> tuple[Sequence[str], Rows]:
    """Return a row for each item, with the counts of its last sample."""
    rows = []
    for place in places:
        item, source = data.items[place], data.sources[data.item_source[place]]
        moment = (
            datetime.fromtimestamp(item.published_at / 1_000, UTC).astimezone(zone).isoformat("T", "seconds")
            if item.published_at is not None
            else ""
        )
        counts = ["" if (count := column[place]) is None else str(count) for column in data.totals]
        name = source.name if source.is_known else ""
        rows.append((moment, item.platform, name, item.headline, item.content_id, *counts))
    return _POSTS, rows


def _told(values: Values | None, place: int) -> str:
    value = values[place] if values is not None and place < len(values) else None
    return "" if value is None else str(value)
