"""All that is known of numbers, laid out by source and day, so that any view of it is a few sums.

A sample says what was counted of an item by a moment, not what came in on a day. What came in is the
difference to the item's sample before, and belongs to the day of the later one: a day without a sample is not
made up. The first sample of an item counts from 0 where it was taken within two days of publishing; of an
older item it only says where counting begins.

The day of a sample is the wall clock's of the moment at which it was made, where that moment lies within the
day (of UTC) that the service names; else the day that the service names. Imported when first needed, like
NumPy.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.workspace.analytics.figures import COUNTED, Figure, Item, Source
from app.workspace.time.wall import WallClock

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

NONE: Final = -1
"""In place of a count that nobody told."""
_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS
_EPOCH: Final = date(1970, 1, 1).toordinal()
_NEW_DAYS: Final = 2


class Columns(NamedTuple):
    """Samples of a day, one row each, those of an item in the order in which they were taken.

    Attributes:
        item: The place of what was sampled in a list of items; NONE for a platform as a whole.
        source: The place of its source in a list of sources.
        day: The ordinal of the day, as the service names it.
        made_at: When the service made the row, in milliseconds since 1970 UTC.
        counts: Views, likes, comments and shares by then, one row each.
        followers: Of the account, by then; 0 where nobody told.
    """

    item: Whole
    source: Whole
    day: int
    made_at: Whole
    counts: Whole
    followers: Whole

    def only(self, chosen: Flags) -> "Columns":
        """Some of the rows."""
        if chosen.all():
            return self
        counts = self.counts[:, chosen]
        item, source, day, made_at, _, followers = self
        return Columns(item[chosen], source[chosen], day, made_at[chosen], counts, followers[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Everything that the dashboard shows, in one zone. Days on axes count from ``first_day``.

    Attributes:
        sources: Accounts, and what belongs to none.
        items: What was published.
        first_day: The ordinal of the first day.
        today: The ordinal of the last one.
        complete: The ordinal of the last day of which all is known that will be.
        asked_at: When the service was asked last, in milliseconds; 0 for never.
        last_sample_at: When the last sample was made, in milliseconds; 0 for none.
        gains: By figure of posts, source and day: what came in.
        sampled: By source and day: whether there is a sample.
        levels: By source and day: followers; 0 where nobody told.
        reported: By source and figure: whether the platform ever told a number above 0.
        item_source: By item: the place of its source.
        item_day: By item: the ordinal of the day on which it was published; 0 where nobody told.
        item_hour: By item: the hour of the week from Monday 0:00 on, 0 to 167.
        totals: By figure of posts and item: what was counted by the last sample; NONE where there is none.
    """

    sources: Sequence[Source]
    items: Sequence[Item]
    first_day: int
    today: int
    complete: int
    asked_at: int
    last_sample_at: int
    gains: Whole
    sampled: Flags
    levels: Whole
    reported: Flags
    item_source: Whole
    item_day: Whole
    item_hour: Whole
    totals: Whole
    places: dict[str, int] = field(default_factory=dict)

    @property
    def first_sampled(self) -> int | None:
        """The ordinal of the first day with a sample; None where there is none."""
        days = np.flatnonzero(self.sampled.any(axis=0))
        return self.first_day + int(days[0]) if days.size else None


class Known(NamedTuple):
    """What samples are told of, and when that was asked: ``now`` and ``asked_at`` are milliseconds."""

    sources: Sequence[Source]
    items: Sequence[Item]
    now: int
    asked_at: int
    first_day: int


def dataset(by_day: Iterable[Columns], known: Known, clock: WallClock) -> Dataset:
    """Lays out samples that come day by day, in the order of the days that the service names."""
    today = clock.today(known.now)
    item_source, item_day, item_hour = _published(known, clock)
    tally = _Tally(known, today, item_day)
    for columns in by_day:
        tally.take(columns, local_days(columns, clock))
    size = len(known.sources), tally.days
    return Dataset(
        sources=known.sources,
        items=known.items,
        first_day=known.first_day,
        today=today,
        complete=min(today - 1, clock.day_of(known.asked_at or known.now) - 1, tally.last_day or today),
        asked_at=known.asked_at,
        last_sample_at=tally.last_made_at,
        gains=tally.gains.reshape(len(COUNTED), *size),
        sampled=tally.sampled.reshape(size),
        levels=tally.levels.reshape(size),
        reported=_shared(tally.reported, known.sources),
        item_source=item_source,
        item_day=item_day,
        item_hour=item_hour,
        totals=tally.last,
        places={source.key: place for place, source in enumerate(known.sources)},
    )


class _Tally:
    """What is known so far. Sources and days lie in one row, source by source."""

    def __init__(self, known: Known, today: int, item_day: Whole) -> None:
        self._first_day, self._today, self._item_day = known.first_day, today, item_day
        self._sources, self.days = len(known.sources), today - known.first_day + 1
        size = self._sources * self.days
        self.last = np.full((len(COUNTED), item_day.size), NONE, np.int64)
        self.gains = np.zeros((len(COUNTED), size), np.int64)
        self.sampled = np.zeros(size, np.bool_)
        self.levels, self._level_made_at = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.reported = np.zeros((self._sources, len(Figure)), np.bool_)
        self.last_day, self.last_made_at = 0, 0

    def take(self, columns: Columns, days: Whole) -> None:
        """Samples of one day of the service; ``days`` are theirs on the wall clock."""
        inside = (days >= self._first_day) & (days <= self._today)
        columns, days = columns.only(inside), days[inside]
        if not days.size:
            return
        self.last_day = max(self.last_day, int(days.max()))
        self.last_made_at = max(self.last_made_at, int(columns.made_at.max()))
        self._take_followers(columns, days)
        is_last = np.append(columns.item[1:] != columns.item[:-1], True) & (columns.item >= 0)
        self._take_counts(columns.only(is_last), days[is_last])

    def _take_followers(self, columns: Columns, days: Whole) -> None:
        """What was told last of a source and a day."""
        told = columns.followers > 0
        source, made_at = columns.source[told], columns.made_at[told]
        self.reported[source, Figure.FOLLOWERS.place] = True
        at = self._place(source, days[told])
        np.maximum.at(self._level_made_at, at, made_at)
        is_newest = made_at == self._level_made_at[at]
        self.levels[at[is_newest]] = columns.followers[told][is_newest]

    def _take_counts(self, columns: Columns, days: Whole) -> None:
        """What came in since the last sample of each item, of which there is one here at most."""
        item, counts = columns.item, columns.counts
        before = self.last[:, item]
        is_first = before[0] == NONE
        is_new = (self._item_day[item] > 0) & (days - self._item_day[item] <= _NEW_DAYS)
        gains = counts - np.where(is_first, np.where(is_new, 0, counts), before)
        at = self._place(columns.source, days)
        for place in range(len(COUNTED)):
            found = np.bincount(at, gains[place], minlength=self.sampled.size)
            self.gains[place] += np.rint(found).astype(np.int64)
            self.reported[:, place] |= np.bincount(columns.source, counts[place], self._sources) > 0
        self.sampled[at] = True
        self.last[:, item] = counts

    def _place(self, source: Whole, day: Whole) -> Whole:
        return source * self.days + (day - self._first_day)


def _published(known: Known, clock: WallClock) -> tuple[Whole, Whole, Whole]:
    """Source, day and hour of the week of each item."""
    places = {source.key: place for place, source in enumerate(known.sources)}
    item_source = np.array([places[item.source] for item in known.items], np.int64)
    at = np.array([item.published_at or 0 for item in known.items], np.int64)
    is_told = np.array([item.published_at is not None for item in known.items], np.bool_)
    day, rest = np.divmod(at + _offsets(at, clock), _DAY_MS)
    day += _EPOCH
    hour = (day - 1) % 7 * 24 + rest // _HOUR_MS  # the first day of all was a Monday
    return item_source, np.where(is_told, day, 0), np.where(is_told, hour, 0)


def _offsets(at: Whole, clock: WallClock) -> Whole:
    """How far the wall clock is ahead of UTC at each moment, asked once a day where it does not change."""
    days, place = np.unique(at // _DAY_MS, return_inverse=True)
    begins, ends = (
        np.array([clock.offset_ms(day * _DAY_MS) for day in (days + later).tolist()], np.int64)
        for later in (0, 1)
    )
    offset: Whole = begins[place]
    changes = np.flatnonzero(begins[place] != ends[place])
    offset[changes] = [clock.offset_ms(moment) for moment in at[changes].tolist()]
    return offset


def local_days(columns: Columns, clock: WallClock) -> Whole:
    """The day of each sample."""
    start, made_at = (columns.day - _EPOCH) * _DAY_MS, columns.made_at
    is_within = (made_at >= start) & (made_at < start + _DAY_MS)
    offset: Whole | int = clock.offset_ms(start)
    if offset != clock.offset_ms(start + _DAY_MS):
        within = np.where(is_within, made_at, start)
        offset = np.array([clock.offset_ms(at) for at in within.tolist()], np.int64)
    return np.where(is_within, (made_at + offset) // _DAY_MS + _EPOCH, columns.day)


def _shared(reported: Flags, sources: Sequence[Source]) -> Flags:
    """What a platform tells of one account it tells of all."""
    platforms = np.array([source.platform for source in sources], dtype=object)
    for platform in set(platforms):
        own = platforms == platform
        reported[own] = reported[own].any(axis=0)
    return reported
