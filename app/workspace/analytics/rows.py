"""Samples between wire and table, and beside the posts that they belong to."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Integer, and_, cast, func, select, type_coerce

from app.contract.analytics import Metric
from app.workspace.analytics.measures import Sample
from app.workspace.store.tables import content, metrics, posts

_PUBLISHED: Final = func.coalesce(
    type_coerce(posts.c.posted_at, BigInteger), type_coerce(content.c.created_at, BigInteger)
)
_DAY: Final = cast(
    func.julianday(metrics.c.metric_date) - func.julianday(func.date(_PUBLISHED / 1_000, "unixepoch")),
    Integer,
)
_OF_POSTS: Final = metrics.join(
    content,
    and_(content.c.platform == metrics.c.platform, content.c.content_id == metrics.c.content_id),
).join(posts, posts.c.service_id == func.lower(content.c.scheduled_post_id))


def metric_row(metric: Metric) -> dict[str, Any]:
    """Values as the table keeps them."""
    told = metric.model_dump()
    return told | {
        "id": str(metric.id),
        "platform": metric.platform.value,
        "metric_date": metric.metric_date.isoformat(),
    }


def read_metrics(rows: Connection, since: date, content_id: str | None) -> list[Metric]:
    """Samples from a day on, oldest first, of one content or of all."""
    chosen = select(metrics).where(metrics.c.metric_date >= since.isoformat())
    if content_id is not None:
        chosen = chosen.where(metrics.c.content_id == content_id)
    ordered = chosen.order_by(metrics.c.metric_date, metrics.c.id)
    return [Metric.model_validate(dict(row)) for row in rows.execute(ordered).mappings()]


def read_samples(rows: Connection, since: int, last_day: int) -> list[Sample]:
    """Samples of posts that went out from ``since`` (milliseconds) on, up to so many days after that.

    What was published without a post that is known here belongs to no account, and is left out.
    """
    counts = (metrics.c.views, metrics.c.likes, metrics.c.comments, metrics.c.shares)
    chosen = (
        select(posts.c.account_key, posts.c.key, _PUBLISHED, _DAY, *counts)
        .select_from(_OF_POSTS)
        .where(since <= _PUBLISHED, _DAY.between(0, last_day))
        .order_by(_PUBLISHED, posts.c.key, metrics.c.metric_date)
    )
    return [Sample(*row) for row in rows.execute(chosen)]


def read_last_days(rows: Connection) -> Mapping[str, date]:
    """The day of the last sample, by account."""
    newest = (
        select(posts.c.account_key, func.max(metrics.c.metric_date))
        .select_from(_OF_POSTS)
        .group_by(posts.c.account_key)
    )
    return {account_key: date.fromisoformat(day) for account_key, day in rows.execute(newest)}
