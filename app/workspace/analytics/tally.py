"""Builds a dataset: adds up samples by source and day of the wall clock, one service day at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, compress, pairwise, repeat
from operator import itemgetter, or_
from typing import Any, Final, NamedTuple

from app.workspace.analytics.counts import Curve, curve
from app.workspace.analytics.dataset import (
    COUNTED,
    Dataset,
    Figure,
    Item,
    Known,
    Published,
    Source,
    Values,
    local_days,
    published,
)
from app.workspace.analytics.rows import WINDOW, Pack, all_items, item_number, sources_of
from app.workspace.time.wall import WallClock

_NEW_DAYS: Final = 2
_COUNTS: Final = range(len(COUNTED))


class StrangerError(Exception):
    """There are samples of an item that isn't in any list."""


class _Part(NamedTuple):
    """A source's share of an arranged column: from ``low`` to ``high``. ``slots`` are those of its items."""

    source: int
    low: int
    high: int
    slots: slice | Sequence[int]


class _Arrangement(NamedTuple):
    """``arranged`` puts a column of a pack in the order of slots, with the last sample of each item.

    ``others`` are the rows that this omits, with their sources: only their followers count.
    """

    arranged: Callable[[Sequence[int]], Sequence[int]]
    parts: Sequence[_Part]
    others: Sequence[tuple[int, int]]


class _Latest(NamedTuple):
    """The counts of a source's last samples, by figure, and their sums."""

    part: _Part
    counts: Sequence[Sequence[int]]
    sums: Sequence[int]


class _Slots:
    """A slot for each item, by source, oldest first."""

    def __init__(self, known: Known, items: Published, *, takes_all: bool) -> None:
        self.items = [place for own in items.published for place in own]
        self._takes_all = takes_all
        listed = (known.items[place] for place in self.items)
        self._numbers = [item_number(one.platform, one.content_id) for one in listed]
        self._bounds = [0, *accumulate(map(len, items.published))]
        self._source = {item_number(one.platform, None): at for at, one in enumerate(known.sources)}
        self._source |= {
            number: items.item_source[place] for number, place in zip(self._numbers, self.items, strict=True)
        }
        self._before: dict[int, tuple[Sequence[int], _Arrangement]] = {}

    def arrangement(self, numbers: Sequence[int], shift: int) -> _Arrangement:
        """Return the arrangement of samples with these item numbers; the previous day's if they're the same.

        ``shift`` is how many days their day is ahead of the service's, because a day's samples can be split.

        Raises:
            StrangerError: One of them is unknown, and ``takes_all`` is set.
        """
        if shift not in self._before or numbers != self._before[shift][0]:
            self._before[shift] = numbers, self._arranged(numbers)
        return self._before[shift][1]

    def _arranged(self, numbers: Sequence[int]) -> _Arrangement:
        # Rows count from 1 here: 0 means none, and is omitted by filter and compress.
        row_of = dict(zip(numbers, range(1, len(numbers) + 1), strict=True))
        found = [row_of.get(number, 0) for number in self._numbers]
        rows: list[int] = []
        parts: list[_Part] = []
        for source, (low, high) in enumerate(pairwise(self._bounds)):
            mine = found[low:high]
            slots = list(compress(range(low, high), mine))
            if slots:
                is_gapless = slots[-1] - slots[0] + 1 == len(slots)
                where = slice(slots[0], slots[-1] + 1) if is_gapless else slots
                parts.append(_Part(source, len(rows), len(rows) + len(slots), where))
                rows += [row - 1 for row in filter(None, mine)]
        others = self._others(numbers, rows)
        if len(rows) > 1:
            return _Arrangement(itemgetter(*rows), parts, others)
        return _Arrangement(lambda column: [column[row] for row in rows], parts, others)

    def _others(self, numbers: Sequence[int], rows: Sequence[int]) -> Sequence[tuple[int, int]]:
        if len(rows) == len(numbers):
            return ()
        arranged, found = set(rows), []
        for row in range(len(numbers)):
            if row not in arranged:
                source = self._source.get(numbers[row])
                if source is not None:
                    found.append((row, source))
                elif self._takes_all:
                    raise StrangerError
        return found


class Tally:
    """The sums so far. Takes packs in the order of their days."""

    def __init__(self, known: Known, clock: WallClock, *, takes_all: bool) -> None:
        """``takes_all``: samples of unlisted items raise StrangerError; otherwise they're omitted."""
        self._known, self._clock, self._today = known, clock, clock.today(known.now)
        self._places = {source.key: place for place, source in enumerate(known.sources)}
        self._published = published(known.items, self._places, clock)
        self._slots = _Slots(known, self._published, takes_all=takes_all)
        self._last: list[list[int | None]] = [[None] * len(self._slots.items) for _ in _COUNTS]
        sources, days = range(len(known.sources)), self._today - known.first_day + 1
        self._gains: list[list[list[int | None]]] = [[[None] * days for _ in sources] for _ in _COUNTS]
        self._reported = [[False] * len(Figure) for _ in sources]
        self._levels: list[dict[int, tuple[int, int]]] = [{} for _ in sources]
        self._latest: dict[int, _Latest] = {}
        """By source; their counts aren't among the last ones yet."""
        self._last_day = self._last_made_at = 0

    def take(self, pack: Pack) -> None:
        """Add the samples of one day of the service.

        Raises:
            StrangerError: See ``takes_all``.
        """
        made_at = pack.made_at.tolist()
        days = local_days(pack.day, made_at, self._clock) if made_at else ()
        if isinstance(days, int):
            self._take(pack, days)
        else:
            for day in sorted(set(days)):
                self._take(pack.only([one == day for one in days]), day)

    def dataset(self) -> Dataset:
        """Return the dataset of the sums."""
        known, today = self._known, self._today
        ends = today - 1, self._clock.day_of(known.asked_at or known.now) - 1, self._last_day or today
        with_sample = [place for own in self._gains[0] for place in _known(own)[:1]]
        self._share_reported()
        for latest in self._latest.values():
            self._keep_counts(latest)
        totals = [self._totals(figure) for figure in _COUNTS]
        return Dataset(
            sources=known.sources,
            items=known.items,
            places=self._places,
            first_day=known.first_day,
            today=today,
            complete=min(ends),
            asked_at=known.asked_at,
            last_sample_at=self._last_made_at,
            first_sampled=known.first_day + min(with_sample) if with_sample else None,
            gains=self._gains,
            levels=[self._carried(own) for own in self._levels],
            reported=self._reported,
            totals=totals,
            interactions=[_added(counts) for counts in zip(*totals[1:], strict=True)],
            **self._published._asdict(),
        )

    def _take(self, pack: Pack, day: int) -> None:
        """Add samples of one day of the wall clock."""
        if not self._known.first_day <= day <= self._today:
            return
        arrangement = self._slots.arrangement(pack.numbers, day - pack.day)
        self._last_day = max(self._last_day, day)
        newest = max(pack.made_at)
        self._last_made_at = max(self._last_made_at, newest)
        made_at, followers = arrangement.arranged(pack.made_at), arrangement.arranged(pack.followers)
        counts = [arrangement.arranged(pack.counts(figure)) for figure in _COUNTS]
        for part in arrangement.parts:
            share = slice(part.low, part.high)
            self._take_counts(part, day, [column[share] for column in counts])
            self._take_followers(part.source, day, made_at[share], followers[share])
        for row, source in arrangement.others:
            self._take_followers(source, day, pack.made_at[row : row + 1], pack.followers[row : row + 1])

    def _take_counts(self, part: _Part, day: int, counts: Sequence[Sequence[int]]) -> None:
        """Add the gains since the last sample of each item."""
        sums, latest = [sum(column) for column in counts], self._latest.get(part.source)
        if latest is not None and latest.part is part:  # the same items as last time
            before: Sequence[int] = latest.sums
        else:
            if latest is not None:
                self._keep_counts(latest)
            before = self._sums_before(part, day, counts)
        self._latest[part.source] = _Latest(part, counts, sums)
        at, reported = day - self._known.first_day, self._reported[part.source]
        for figure in _COUNTS:
            own = self._gains[figure][part.source]
            own[at] = (own[at] or 0) + sums[figure] - before[figure]
            reported[figure] = reported[figure] or max(counts[figure]) > 0

    def _keep_counts(self, latest: _Latest) -> None:
        """Keep counts as the last ones of their items."""
        slots = latest.part.slots
        for last, counts in zip(self._last, latest.counts, strict=True):
            if isinstance(slots, slice):
                last[slots] = counts
            else:
                for slot, count in zip(slots, counts, strict=True):
                    last[slot] = count

    def _sums_before(self, part: _Part, day: int, counts: Sequence[Sequence[int]]) -> list[int]:
        """Return the previous counts of a part's items, or where their counting starts."""
        slots = range(len(self._slots.items))[part.slots] if isinstance(part.slots, slice) else part.slots
        before: list[list[Any]] = [[last[slot] for slot in slots] for last in self._last]
        for place, slot in enumerate(slots):
            if before[0][place] is None:
                published_on = self._published.item_day[self._slots.items[slot]]
                is_new = published_on > 0 and day - published_on <= _NEW_DAYS
                for figure in _COUNTS:
                    before[figure][place] = 0 if is_new else counts[figure][place]
        return [sum(column) for column in before]

    def _take_followers(
        self, source: int, day: int, made_at: Sequence[int], followers: Sequence[int]
    ) -> None:
        """Keep the last number of a source and day; of numbers from the same moment, the highest."""
        lowest, highest = min(followers), max(followers)
        if highest <= 0:
            return
        if lowest == highest:
            newest = max(made_at), highest
        else:
            newest = max(one for one in zip(made_at, followers, strict=True) if one[1] > 0)
        self._reported[source][Figure.FOLLOWERS.place] = True
        self._levels[source][day] = max(newest, self._levels[source].get(day, newest))

    def _carried(self, levels: Mapping[int, tuple[int, int]]) -> Values:
        """Followers by day: a level stays until the next one is reported."""
        found, level = [], None
        for day in range(self._known.first_day, self._today + 1):
            level = levels[day][1] if day in levels else level
            found.append(level)
        return found

    def _share_reported(self) -> None:
        """If a platform reports a figure for one account, it reports it for all."""
        by_platform: dict[str, list[bool]] = {}
        for source, own in zip(self._known.sources, self._reported, strict=True):
            together = by_platform.setdefault(source.platform, [False] * len(Figure))
            together[:] = map(or_, together, own)
        self._reported = [by_platform[source.platform] for source in self._known.sources]

    def _totals(self, figure: int) -> Values:
        """The last count of each item, if its platform reports the figure."""
        found: list[int | None] = [None] * len(self._slots.items)
        for item, count in zip(self._slots.items, self._last[figure], strict=True):
            if self._reported[self._published.item_source[item]][figure]:
                found[item] = count
        return found


def _known(values: Values) -> list[int]:
    """Return the places with a value."""
    return [place for place, value in enumerate(values) if value is not None]


def _added(counts: Values) -> int | None:
    """Return the sum of the known values; None if all are unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


class Told(NamedTuple):
    """What the mirror contained at ``now``; moments are in ms since 1970 UTC.

    ``sampled`` are the sampled items; None until they're read, which is slow and rarely needed.
    """

    packs: Iterable[Pack]
    published: Sequence[Item]
    sampled: Sequence[tuple[str, str | None]] | None
    accounts: Mapping[str, Source]
    now: int
    asked_at: int


def load(told: Told, clock: WallClock) -> Dataset | None:
    """Return the dataset; None if ``sampled`` has to be read first."""
    sampled = told.sampled or ()
    items = all_items(told.published, sampled)
    sources = sources_of(items, sampled, told.accounts)
    first_day = clock.today(told.now) - WINDOW.days
    known = Known(sources, items, told.now, told.asked_at, first_day)
    tally = Tally(known, clock, takes_all=told.sampled is None)
    try:
        for pack in told.packs:
            tally.take(pack)
    except StrangerError:
        return None
    return tally.dataset()


def load_curve(packs: Iterable[Pack], data: Dataset, place: int, figure: Figure, clock: WallClock) -> Curve:
    """Return how an item of the dataset grew, next to the others of its source."""
    own = [one for one in data.published[data.item_source[place]] if data.item_day[one]]
    return curve(_samples(packs, {one: data.items[one] for one in own}, data, figure, clock), place)


def _samples(
    packs: Iterable[Pack], items: Mapping[int, Item], data: Dataset, figure: Figure, clock: WallClock
) -> Iterator[tuple[int, int, int]]:
    """Yield the place of an item, its age in days, and its counts by then, oldest first."""
    numbers = [(item_number(item.platform, item.content_id), place) for place, item in items.items()]
    before: Sequence[int] = ()
    rows: list[tuple[int, int, int]] = []
    for pack in packs:
        if pack.numbers != before:  # they rarely change from one day to the next
            before, row_of = pack.numbers, dict(zip(pack.numbers, range(len(pack.numbers)), strict=True))
            found = ((row_of.get(number), place) for number, place in numbers)
            rows = [(row, place, data.item_day[place]) for row, place in found if row is not None]
        if rows:
            made_at, counts = pack.made_at, pack.counts(figure.place)
            days = local_days(pack.day, [made_at[row] for row, _, _ in rows], clock)
            for day, (row, place, published_on) in zip(
                repeat(days, len(rows)) if isinstance(days, int) else days, rows, strict=True
            ):
                if day <= data.today:  # as everywhere else, also if the service's clock is ahead
                    yield place, day - published_on, counts[row]
