"""Samples between wire and table, and with their posts."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, Integer, and_, cast, func, select, type_coerce

from app.contract.analytics import Metric
from app.workspace.analytics.measures import Sample
from app.workspace.store.tables import content, metrics, posts

_PUBLISHED: Final = func.coalesce(
    type_coerce(posts.c.posted_at, BigInteger), type_coerce(content.c.created_at, BigInteger)
)
"""In milliseconds."""
_CONTENT: Final = content.join(posts, posts.c.service_id == func.lower(content.c.scheduled_post_id))
_ITS_OWN: Final = and_(metrics.c.platform == content.c.platform, metrics.c.content_id == content.c.content_id)


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
    counts = (metrics.c.views, metrics.c.likes, metrics.c.comments, metrics.c.shares)
    day = func.julianday(metrics.c.metric_date) - func.julianday(_published_day(0))
    chosen = (
        select(posts.c.account_key, posts.c.key, _PUBLISHED, cast(day, Integer), *counts)
        .select_from(_CONTENT.join(metrics, _ITS_OWN))
        .where(
            since <= _PUBLISHED, metrics.c.metric_date.between(_published_day(first), _published_day(last))
        )
    )
    return [Sample(*row) for row in rows.execute(chosen)]


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
