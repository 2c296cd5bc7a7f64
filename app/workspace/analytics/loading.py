"""From packs and lists to a dataset. Imported when first needed: NumPy is."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from app.workspace.analytics.curves import Curve, curve
from app.workspace.analytics.dataset import NONE, Columns, Dataset, Flags, Known, Whole, dataset, local_days
from app.workspace.analytics.figures import Figure, Item, Source
from app.workspace.analytics.known import all_items, sources_of
from app.workspace.analytics.packs import COLUMNS, WINDOW, item_number
from app.workspace.time.wall import WallClock


class Told(NamedTuple):
    """What the mirror holds, as it was read at ``now``; moments are milliseconds since 1970 UTC."""

    packs: Sequence[tuple[date, bytes]]
    published: Sequence[Item]
    sampled: Sequence[tuple[str, str | None]]
    accounts: Mapping[str, Source]
    now: int
    asked_at: int


def load(told: Told, clock: WallClock) -> Dataset:
    """Lays out what the mirror holds."""
    items = all_items(told.published, told.sampled)
    sources = sources_of(items, told.sampled, told.accounts)
    first_day = clock.today(told.now) - WINDOW.days
    known = Known(sources, items, told.now, told.asked_at, first_day)
    return dataset(columns_by_day(told.packs, items, sources), known, clock)


def has_strangers(told: Told) -> bool:
    """Whether there are samples of what is not in the lists; then it must be read what all samples are of."""
    numbers = np.array(
        sorted({item_number(one.platform, one.content_id) for one in told.published}), np.int64
    )
    tables = (np.frombuffer(blob, np.int64).reshape(COLUMNS, -1)[0] for _, blob in told.packs)
    return any(not _found(numbers, sampled)[1].all() for sampled in tables)


def _found(numbers: Whole, wanted: Whole) -> tuple[Whole, Flags]:
    """Where wanted numbers stand among others in ascending order, and whether they do."""
    if not numbers.size:
        return np.zeros(wanted.size, np.int64), np.zeros(wanted.size, np.bool_)
    at = np.minimum(np.searchsorted(numbers, wanted), numbers.size - 1)
    return at, numbers[at] == wanted


def load_curve(
    packs: Sequence[tuple[date, bytes]], data: Dataset, place: int, figure: Figure, clock: WallClock
) -> Curve:
    """How an item of the dataset grew, beside the others of its source."""
    source = int(data.item_source[place])
    own = np.flatnonzero(data.item_source == source)
    if not packs:
        return Curve(np.zeros(0), np.zeros(0), 0)
    items = [data.items[number] for number in own.tolist()]
    parts = columns_by_day(packs, items, [data.sources[source]])
    columns = Columns(*(np.concatenate(column, axis=-1) for column in zip(*parts, strict=True)))
    columns = columns.only(columns.item >= 0)
    days = local_days(columns, clock)
    return curve(columns, days, data.item_day[own], int(np.searchsorted(own, place)), figure.place)


def columns_by_day(
    packs: Sequence[tuple[date, bytes]], items: Sequence[Item], sources: Sequence[Source]
) -> Iterator[Columns]:
    """Samples of the items and of whole platforms, day by day; others are left out."""
    numbers, places, whose = _directory(items, sources)
    for day, blob in packs:
        table = np.frombuffer(blob, np.int64).reshape(COLUMNS, -1)
        at, is_known = _found(numbers, table[0])
        if not is_known.all():
            at, table = at[is_known], table[:, is_known]
        days = np.full(at.size, day.toordinal(), np.int64)
        counts = np.maximum(table[2:6], 0)
        yield Columns(places[at], whose[at], days, table[1], counts, table[6])


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
