"""A day's samples in one row, which the dashboard reads instead of several hundred thousand rows.

A pack is a cache: it's built from the samples when needed and discarded when one of them changes. It contains
seven columns of 64-bit integers, one after the other: the item (see ``item_number``), the time of the sample
(ms since 1970 UTC), views, likes, comments, shares, followers. Rows are sorted by item, and those of one item
by time.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import cached_property
from hashlib import blake2b
from itertools import compress
from typing import Final

from sqlalchemy import BigInteger, Connection, delete, insert, select, type_coerce

from app.workspace.store.tables import metric_days, metrics

_COLUMNS: Final = 7
WINDOW: Final = timedelta(days=200)
"""Twice 90 days, and the days needed before the first of them."""
_MOST_DAYS: Final = 8
_MADE_AT: Final = type_coerce(metrics.c.created_at, BigInteger)
_COUNTS: Final = (
    metrics.c.views,
    metrics.c.likes,
    metrics.c.comments,
    metrics.c.shares,
    metrics.c.subscribers,
)


class Pack:
    """A day's samples, one per row. Columns are read on demand."""

    def __init__(self, day: int, samples: bytes) -> None:
        """``day`` is the ordinal of the day, as the service names it."""
        self.day = day
        self._samples = memoryview(samples).cast("q")
        self._size = len(self._samples) // _COLUMNS

    @cached_property
    def numbers(self) -> "array[int]":
        """The sampled items by ``item_number``, in ascending order."""
        return self._column(0)

    @property
    def made_at(self) -> "array[int]":
        """When the service made each sample, in milliseconds since 1970 UTC."""
        return self._column(1)

    @property
    def followers(self) -> "array[int]":
        """Followers of the account by then; 0 if not reported."""
        return self._column(_COLUMNS - 1)

    def counts(self, figure: int) -> "array[int]":
        """Views, likes, comments or shares by then, by the figure's place; never below 0."""
        return self._column(2 + figure)

    def only(self, chosen: Sequence[bool]) -> "Pack":
        """Return a pack of the chosen samples."""
        columns = (array("q", compress(self._column(at), chosen)) for at in range(_COLUMNS))
        return Pack(self.day, b"".join(column.tobytes() for column in columns))

    def _column(self, at: int) -> "array[int]":
        return array("q", self._samples[at * self._size : (at + 1) * self._size].tobytes())


def item_number(platform: str, content_id: str | None) -> int:
    """The number by which packs know an item; a platform as a whole has one too. 64 bits of a hash."""
    named = f"{platform}\0{content_id}" if content_id is not None else platform
    return int.from_bytes(blake2b(named.encode(), digest_size=8).digest(), "big", signed=True)


def pack_some(rows: Connection, today: date) -> bool:
    """Pack some unpacked days of the window; return whether there may be more."""
    rows.execute(delete(metric_days).where(metric_days.c.metric_date < (today - WINDOW).isoformat()))
    days = unpacked(rows, today, _MOST_DAYS)
    for day in days:
        rows.execute(insert(metric_days).values(metric_date=day, samples=_packed(rows, day)))
    return len(days) == _MOST_DAYS


def unpacked(rows: Connection, today: date, most: int) -> list[str]:
    """Return days of the window with samples but without a pack, up to a maximum number."""
    window = {(today - timedelta(days=age)).isoformat() for age in range(-1, WINDOW.days + 1)}
    missing = window - set(rows.scalars(select(metric_days.c.metric_date)))
    chosen = select(metrics.c.metric_date).where(metrics.c.metric_date.in_(missing))
    return list(rows.scalars(chosen.distinct().limit(most)))


def unpack(rows: Connection, days: Iterable[str]) -> None:
    """Discard the packs of days whose samples change."""
    rows.execute(delete(metric_days).where(metric_days.c.metric_date.in_(list(days))))


def read_packs(rows: Connection, today: date) -> Iterator[Pack]:
    """Yield the packs of the window, oldest first. Reads one at a time, because together they're large."""
    chosen = select(metric_days).where(metric_days.c.metric_date >= (today - WINDOW).isoformat())
    for day, samples in rows.execute(chosen.order_by(metric_days.c.metric_date)):
        yield Pack(date.fromisoformat(day).toordinal(), samples)


def _packed(rows: Connection, day: str) -> bytes:
    chosen = select(metrics.c.platform, metrics.c.content_id, _MADE_AT, *_COUNTS)
    found = rows.execute(chosen.where(metrics.c.metric_date == day).order_by(_MADE_AT, metrics.c.id))
    numbered = sorted(
        (
            (item_number(platform, content_id), made_at, *(max(0, count) for count in counts))
            for platform, content_id, made_at, *counts in found
        ),
        key=lambda row: row[0],
    )
    return b"".join(array("q", column).tobytes() for column in zip(*numbered, strict=True))
