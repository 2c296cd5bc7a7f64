"""Samples in tables: one by one, and a day's samples packed in one row, which the dashboard reads."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cached_property
from hashlib import blake2b
from itertools import compress
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    and_,
    cast,
    delete,
    func,
    insert,
    literal_column,
    select,
    type_coerce,
)

from app.contract.analytics import Metric
from app.workspace.accounts.book import load_accounts
from app.workspace.analytics.counts import Counts, Sample, Scale
from app.workspace.analytics.dataset import Item, Source
from app.workspace.store.tables import content, metric_days, metrics, posts

_WORDS: Final = 160
_PUBLISHED: Final = func.coalesce(
    type_coerce(posts.c.posted_at, BigInteger), type_coerce(content.c.created_at, BigInteger)
)
"""In milliseconds."""
_HEADLINE: Final = func.coalesce(
    func.nullif(content.c.title, ""), func.substr(content.c.description, 1, _WORDS), posts.c.headline, ""
)
_CONTENT: Final = content.join(posts, posts.c.service_id == func.lower(content.c.scheduled_post_id))
_ITS_OWN: Final = and_(metrics.c.platform == content.c.platform, metrics.c.content_id == content.c.content_id)
_COUNTS: Final = (metrics.c.views, metrics.c.likes, metrics.c.comments, metrics.c.shares)
_PLACE: Final[Any] = literal_column("content.rowid")
_NEWEST_MOST: Final = 20_000
"""Samples that a scale is read from: counts only grow, so the newest samples hold the highest."""
_USUAL_MOST: Final = 100
"""The account's newest posts that its usual post is taken from."""


def read_items(rows: Connection, since: int) -> list[Item]:
    """Return the items published from ``since`` (ms since 1970 UTC) on, oldest first."""
    chosen = (
        select(
            content.c.platform,
            content.c.content_id,
            posts.c.account_key,
            posts.c.key,
            _PUBLISHED,
            _HEADLINE,
        )
        .select_from(content.outerjoin(posts, posts.c.service_id == func.lower(content.c.scheduled_post_id)))
        .where(type_coerce(content.c.created_at, BigInteger) >= since)
        .order_by(content.c.created_at, content.c.id)
    )
    return [
        Item(platform, content_id, account or f"{platform}:", key, at, " ".join(words.split()))
        for platform, content_id, account, key, at, words in rows.execute(chosen).all()
    ]


def read_sampled(rows: Connection) -> list[tuple[str, str | None]]:
    """Return platform and content ID of everything that was ever sampled."""
    return [
        (platform, content_id)
        for platform, content_id in rows.execute(select(metrics.c.platform, metrics.c.content_id).distinct())
    ]


def read_accounts(rows: Connection) -> dict[str, Source]:
    """Return every account that was ever listed, by its key."""
    return {
        account.key: Source(
            account.key, account.platform.value, account.name, account.handle or "", account.color_index
        )
        for account, _ in load_accounts(rows)
    }


def all_items(found: Iterable[Item], sampled: Iterable[tuple[str, str | None]]) -> list[Item]:
    """Return the published items, each once, and those only known from their samples."""
    items = {(item.platform, item.content_id): item for item in found}
    for platform, content_id in sampled:
        if content_id is not None:
            items.setdefault((platform, content_id), Item(platform, content_id, f"{platform}:"))
    return list(items.values())


def sources_of(
    items: Iterable[Item], sampled: Iterable[tuple[str, str | None]], accounts: Mapping[str, Source]
) -> list[Source]:
    """Return the sources of items: by platform, accounts before items without one."""
    needed = {item.source: item.platform for item in items}
    needed |= {f"{platform}:": platform for platform, content_id in sampled if content_id is None}
    sources = [accounts.get(key) or Source(key, platform) for key, platform in needed.items()]
    return sorted(sources, key=lambda one: (one.platform, not one.is_known, one.name.casefold(), one.key))


def metric_row(metric: Metric) -> dict[str, Any]:
    """Return the values as stored in the table."""
    told = metric.model_dump()
    return told | {
        "id": str(metric.id),
        "platform": metric.platform.value,
        "metric_date": metric.metric_date.isoformat(),
    }


def read_metrics(rows: Connection, since: date, content_id: str | None) -> list[Metric]:
    """Return samples from a day on, oldest first, of one item or of all."""
    chosen = select(metrics).where(metrics.c.metric_date >= since.isoformat())
    if content_id is not None:
        chosen = chosen.where(metrics.c.content_id == content_id)
    ordered = chosen.order_by(metrics.c.metric_date, metrics.c.id)
    return [Metric.model_validate(dict(row)) for row in rows.execute(ordered).mappings()]


def read_metrics_of_post(rows: Connection, key: str) -> list[Metric]:
    """Return all samples of a post, by its key, oldest first."""
    chosen = (
        select(metrics)
        .select_from(_CONTENT.join(metrics, _ITS_OWN))
        .where(posts.c.key == key)
        .order_by(metrics.c.metric_date, metrics.c.id)
    )
    return [Metric.model_validate(dict(row)) for row in rows.execute(chosen).mappings()]


def read_samples(rows: Connection, since: int, first: int, last: int) -> list[Sample]:
    """Return samples of posts published from ``since`` (ms) on, within a range of days after publishing.

    Items without a known post belong to no account and are omitted.
    """
    day = func.julianday(metrics.c.metric_date) - func.julianday(_published_day(0))
    chosen = (
        select(posts.c.account_key, posts.c.key, _PUBLISHED, cast(day, Integer), *_COUNTS)
        .select_from(_CONTENT.join(metrics, _ITS_OWN))
        .where(
            since <= _PUBLISHED,
            metrics.c.metric_date.between(_published_day(first), _published_day(last)),
        )
    )
    return [Sample(*row) for row in rows.execute(chosen)]


def read_counts(rows: Connection, places: Sequence[int]) -> dict[int, Counts]:
    """Return the last counts of content, by its places; those without a sample are left out."""
    last_day = select(func.max(metrics.c.metric_date)).where(_ITS_OWN).correlate(content).scalar_subquery()
    chosen = (
        select(_PLACE, *_COUNTS)
        .select_from(content.join(metrics, _ITS_OWN))
        .where(_PLACE.in_(places), metrics.c.metric_date == last_day)
        .order_by(metrics.c.created_at, metrics.c.id)
    )
    return {place: Counts(*counts) for place, *counts in rows.execute(chosen)}


def read_views(rows: Connection, keys: Sequence[str]) -> dict[str, int]:
    """Return the last number of views of posts, by their keys.

    A 0 is left out: a service also writes it for what a platform doesn't report.
    """
    last_day = select(func.max(metrics.c.metric_date)).where(_ITS_OWN).correlate(content).scalar_subquery()
    chosen = (
        select(posts.c.key, metrics.c.views)
        .select_from(_CONTENT.join(metrics, _ITS_OWN))
        .where(posts.c.key.in_(keys), metrics.c.metric_date == last_day, metrics.c.views > 0)
        .order_by(metrics.c.created_at, metrics.c.id)
    )
    return {str(key): int(views) for key, views in rows.execute(chosen)}


def read_scale(rows: Connection) -> Scale:
    """Return the highest counts among the newest samples, by platform."""
    newest = (
        select(metrics.c.platform, *_COUNTS)
        .order_by(metrics.c.metric_date.desc())
        .limit(_NEWEST_MOST)
        .subquery()
    )
    highest = (func.max(newest.c[count.name]) for count in _COUNTS)
    chosen = select(newest.c.platform, *highest).group_by(newest.c.platform)
    return Scale({platform: Counts(*counts) for platform, *counts in rows.execute(chosen)})


def read_growth(rows: Connection, place: int, last: int) -> list[tuple[int, int, int]]:
    """Return samples of content and of its account's newest posts, up to ``last`` days after publication.

    Each is the place of content, its age in days, and its views by then; oldest first.
    """
    account = select(posts.c.account_key).select_from(_CONTENT).where(place == _PLACE).scalar_subquery()
    newest = (
        select(_PLACE)
        .select_from(_CONTENT)
        .where(posts.c.account_key == account)
        .order_by(content.c.created_at.desc())
        .limit(_USUAL_MOST)
    )
    age = cast(func.julianday(metrics.c.metric_date) - func.julianday(_published_day(0)), Integer)
    dated = content.outerjoin(posts, posts.c.service_id == func.lower(content.c.scheduled_post_id))
    chosen = (
        select(_PLACE, age, metrics.c.views)
        .select_from(dated.join(metrics, _ITS_OWN))
        .where(
            (place == _PLACE) | _PLACE.in_(newest),
            metrics.c.metric_date.between(_published_day(0), _published_day(last)),
        )
        .order_by(metrics.c.metric_date, metrics.c.created_at)
    )
    return [(at, days, views) for at, days, views in rows.execute(chosen)]


def read_last_days(rows: Connection) -> Mapping[str, date]:
    """Return the day of the last sample, by account."""
    of_content = select(func.max(metrics.c.metric_date)).where(_ITS_OWN).correlate(content).scalar_subquery()
    newest = (
        select(posts.c.account_key, func.max(of_content)).select_from(_CONTENT).group_by(posts.c.account_key)
    )
    return {account_key: date.fromisoformat(day) for account_key, day in rows.execute(newest) if day}


def _published_day(later: int) -> ColumnElement[str]:
    """The day in UTC that is a number of days after publication."""
    return func.date(_PUBLISHED // 1_000, "unixepoch", f"+{later} days")


# A pack is a cache: it's built from the samples when needed and discarded when one of them changes. It
# contains seven columns of 64-bit integers, one after the other: the item (see ``item_number``), the time
# of the sample (ms since 1970 UTC), views, likes, comments, shares, followers. Rows are sorted by item, and
# those of one item by time.
_COLUMNS: Final = 7
WINDOW: Final = timedelta(days=200)
"""Twice 90 days, and the days needed before the first of them."""
_MOST_DAYS: Final = 8
_MADE_AT: Final = type_coerce(metrics.c.created_at, BigInteger)
_PACKED: Final = (
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
    chosen = select(metrics.c.platform, metrics.c.content_id, _MADE_AT, *_PACKED)
    found = rows.execute(chosen.where(metrics.c.metric_date == day).order_by(_MADE_AT, metrics.c.id))
    numbered = sorted(
        (
            (item_number(platform, content_id), made_at, *(max(0, count) for count in counts))
            for platform, content_id, made_at, *counts in found
        ),
        key=lambda row: row[0],
    )
    return b"".join(array("q", column).tobytes() for column in zip(*numbered, strict=True))
