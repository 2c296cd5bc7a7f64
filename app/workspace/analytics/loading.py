"""Builds a dataset, and the curve of a post, from packs and lists."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

from app.workspace.analytics.curves import Curve, curve
from app.workspace.analytics.dataset import Dataset, Known, local_days
from app.workspace.analytics.figures import Figure, Item, Source
from app.workspace.analytics.known import all_items, sources_of
from app.workspace.analytics.packs import WINDOW, Pack, item_number
from app.workspace.analytics.tally import StrangerError, Tally
from app.workspace.time.wall import WallClock


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
                yield place, day - published_on, counts[row]
