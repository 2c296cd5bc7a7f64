"""From packs and lists to a dataset. Imported when first needed: NumPy is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from app.workspace.analytics.curves import Curve, Samples, curve
from app.workspace.analytics.dataset import NONE, Columns, Dataset, Flags, Known, Whole, dataset, local_days
from app.workspace.analytics.figures import Figure, Item, Source
from app.workspace.analytics.known import all_items, sources_of
from app.workspace.analytics.packs import COLUMNS, WINDOW, item_number
from app.workspace.time.wall import WallClock


class Told(NamedTuple):
    """What the mirror holds, as it was read at ``now``; moments are milliseconds since 1970 UTC.

    ``sampled`` is what samples are of; None as long as nobody asked, which takes long and is seldom needed.
    """

    packs: Iterable[tuple[date, bytes]]
    published: Sequence[Item]
    sampled: Sequence[tuple[str, str | None]] | None
    accounts: Mapping[str, Source]
    now: int
    asked_at: int


class _StrangerError(Exception):
    """There are samples of what is in no list."""


def load(told: Told, clock: WallClock) -> Dataset | None:
    """Lays out what the mirror holds; None where it must be known first what samples are of."""
    sampled = told.sampled or ()
    items = all_items(told.published, sampled)
    sources = sources_of(items, sampled, told.accounts)
    first_day = clock.today(told.now) - WINDOW.days
    known = Known(sources, items, told.now, told.asked_at, first_day)
    by_day = columns_by_day(told.packs, items, sources, takes_all=told.sampled is None)
    try:
        return dataset(by_day, known, clock)
    except _StrangerError:
        return None


def _found(numbers: Whole, wanted: Whole) -> tuple[Whole, Flags]:
    """Where wanted numbers stand among others in ascending order, and whether they do."""
    if not numbers.size:
        return np.zeros(wanted.size, np.int64), np.zeros(wanted.size, np.bool_)
    at = np.minimum(np.searchsorted(numbers, wanted), numbers.size - 1)
    return at, numbers[at] == wanted


def load_curve(
    packs: Iterable[tuple[date, bytes]], data: Dataset, place: int, figure: Figure, clock: WallClock
) -> Curve:
    """How an item of the dataset grew, beside the others of its source."""
    source = int(data.item_source[place])
    own = np.flatnonzero(data.item_source == source)
    items = [data.items[number] for number in own.tolist()]
    parts = [part.only(part.item >= 0) for part in columns_by_day(packs, items, [data.sources[source]])]
    if not parts:
        return Curve(np.zeros(0), np.zeros(0), 0)
    days = np.concatenate([local_days(part, clock) for part in parts])
    sampled = np.concatenate([part.item for part in parts])
    counts = np.concatenate([part.counts[figure.place] for part in parts])
    return curve(Samples(sampled, days, counts), data.item_day[own], int(np.searchsorted(own, place)))


def columns_by_day(
    packs: Iterable[tuple[date, bytes]],
    items: Sequence[Item],
    sources: Sequence[Source],
    *,
    takes_all: bool = False,
) -> Iterator[Columns]:
    """Samples of the items and of whole platforms, day by day; others are left out, or not put up with."""
    numbers, places, whose = _directory(items, sources)
    for day, blob in packs:
        table = np.frombuffer(blob, np.int64).reshape(COLUMNS, -1)
        at, is_known = _found(numbers, table[0])
        if not is_known.all():
            if takes_all:
                raise _StrangerError
            at, table = at[is_known], table[:, is_known]
        counts = np.maximum(table[2:6], 0)
        yield Columns(places[at], whose[at], day.toordinal(), table[1], counts, table[6])


def _directory(items: Sequence[Item], sources: Sequence[Source]) -> tuple[Whole, Whole, Whole]:
    """Numbers in ascending order, and beside them the places of item and source."""
    at = {source.key: place for place, source in enumerate(sources)}
    listed = [
        (item_number(item.platform, item.content_id), place, at[item.source])
        for place, item in enumerate(items)
    ]
    listed += [
        (item_number(source.platform, None), NONE, at[source.key])
        for source in sources
        if not source.is_known
    ]
    table = np.array(sorted(listed), np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]
