"""Samples of published content: when they're due, and how they're stored and read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import Connection, bindparam, func, insert, select, update

from app.contract.enums import ConnectionPlatform
from app.contract.posts import PostAnalytics, PostMetric
from app.platforms.base import ContentMetrics
from app.service.accounts.moves import is_here
from app.service.api.responses import not_found
from app.service.posts.rows import find_post
from app.service.store.tables import connections, contents, metrics

SAMPLED_FOR: Final = timedelta(days=90)
"""How long an item is sampled."""

_EARLY: Final = (timedelta(hours=1), timedelta(hours=6))
_DAILY: Final = timedelta(days=1)

ENDED_ACCOUNTS_REST: Final = timedelta(days=1)
"""Delay before checking items of an unavailable account again."""

_NUMBERS = (metrics.c.views, metrics.c.likes, metrics.c.comments, metrics.c.shares, metrics.c.subscribers)


def first_sample(published_at: datetime) -> datetime:
    """Return when an item is first sampled."""
    return published_at + _EARLY[0]


def next_sample(published_at: datetime, now: datetime) -> datetime | None:
    """Return the first sampling time after ``now``; None after the last."""
    for early in _EARLY:
        if published_at + early > now:
            return published_at + early
    after = max(1, (now - published_at) // _DAILY + 1) * _DAILY
    return published_at + after if after <= SAMPLED_FOR else None


@dataclass(frozen=True, slots=True)
class Item:
    """A published item. ``id`` is our record's, ``content_id`` the platform's."""

    id: UUID
    content_id: str
    published_at: datetime


@dataclass(frozen=True, slots=True)
class Feed:
    """The items of one connected account, sampled together."""

    connection_id: UUID
    account_id: UUID
    platform: ConnectionPlatform
    account_identifier: str
    items: Sequence[Item]


def take_due(rows: Connection, now: datetime, until: datetime, most: int, most_of_account: int) -> list[Feed]:
    """Claim due items, longest waiting first, grouped by account.

    No other process claims them before ``until``: by then they are stored or postponed, or this process has
    died. Postpones items of unavailable accounts without a call.
    """
    place = func.row_number().over(partition_by=contents.c.connection_id, order_by=contents.c.next_sample_at)
    ranked = (
        select(contents.c.id, contents.c.next_sample_at, place.label("place"))
        .where(contents.c.next_sample_at <= now, is_here(contents.c.account_id))
        .subquery("ranked")
    )
    chosen = (
        select(ranked.c.id)
        .where(ranked.c.place <= most_of_account)
        .order_by(ranked.c.next_sample_at)
        .limit(most)
    )
    waiting = (
        select(contents.c.id)
        .where(contents.c.id.in_(chosen), contents.c.next_sample_at <= now)
        .with_for_update(skip_locked=True)
        .cte("waiting")
    )
    taken = rows.scalars(
        update(contents)
        .where(contents.c.id.in_(select(waiting.c.id)))
        .values(next_sample_at=until)
        .returning(contents.c.id)
    ).all()
    if not taken:
        return []
    items = rows.execute(_ITEMS.where(contents.c.id.in_(taken)).order_by(contents.c.created_at.desc())).all()
    postpone(rows, [_item(row) for row in items if not row.is_available], now + ENDED_ACCOUNTS_REST)
    return _feeds(row for row in items if row.is_available)


def everything(rows: Connection, now: datetime) -> list[Feed]:
    """Return all items of available accounts that are young enough to be sampled, by account."""
    return _feeds(
        rows.execute(
            _ITEMS.where(
                contents.c.created_at > now - SAMPLED_FOR,
                connections.c.is_available,
                is_here(contents.c.account_id),
            )
        )
    )


def store(
    rows: Connection,
    feed: Feed,
    items: Sequence[Item],
    found: Iterable[ContentMetrics],
    followers: int | None,
    now: datetime,
) -> int:
    """Store a platform's metrics of items, one row per item and day; return the number of rows.

    Items without metrics are requested again according to the schedule.
    """
    asked = {item.content_id for item in items}
    reported = {one.content_id: one for one in found if one.content_id in asked}
    if followers is not None:
        rows.execute(
            update(connections).where(connections.c.id == feed.connection_id).values(follower_count=followers)
        )
    subscribers = rows.scalar(_FOLLOWERS, {"whose": feed.connection_id}) or 0
    for one in reported.values():
        _keep(rows, feed, one.content_id, {**_numbers(one), "subscribers": subscribers}, now)
    rows.execute(_PLAN, [{"item": item.id, "at": next_sample(item.published_at, now)} for item in items])
    return len(reported)


def postpone(rows: Connection, items: Sequence[Item], until: datetime) -> None:
    """Sample items again at ``until`` after a failure, but not after their 90 days."""
    plan = [
        {"item": item.id, "at": until if until <= item.published_at + SAMPLED_FOR else None} for item in items
    ]
    if plan:
        rows.execute(_PLAN, plan)


_ITEMS = select(
    contents.c.id,
    contents.c.content_id,
    contents.c.created_at,
    connections.c.id.label("connection_id"),
    connections.c.account_id,
    connections.c.platform,
    connections.c.account_identifier,
    connections.c.is_available,
).join(connections, connections.c.id == contents.c.connection_id)
_FOLLOWERS = select(connections.c.follower_count).where(connections.c.id == bindparam("whose"))
_PLAN = update(contents).where(contents.c.id == bindparam("item")).values(next_sample_at=bindparam("at"))


def _feeds(found: Iterable[Any]) -> list[Feed]:
    items: dict[tuple[UUID, UUID, str, str], list[Item]] = {}
    for row in found:
        whose = (row.connection_id, row.account_id, row.platform, row.account_identifier)
        items.setdefault(whose, []).append(_item(row))
    return [
        Feed(connection_id, account_id, ConnectionPlatform(platform), identifier, own)
        for (connection_id, account_id, platform, identifier), own in items.items()
    ]


def _item(row: Any) -> Item:
    return Item(row.id, row.content_id, row.created_at)


def _numbers(one: ContentMetrics) -> dict[str, int]:
    """Convert metrics to columns; 0 if the platform doesn't report one."""
    return {
        "views": one.views or 0,
        "likes": one.likes or 0,
        "comments": one.comments or 0,
        "shares": one.shares or 0,
    }


def _keep(rows: Connection, feed: Feed, content_id: str, numbers: Mapping[str, int], now: datetime) -> None:
    """Store a sample, replacing an earlier one of the same day in its row."""
    renewed = rows.execute(
        update(metrics)
        .where(
            metrics.c.connection_id == feed.connection_id,
            metrics.c.content_id == content_id,
            metrics.c.metric_date == now.date(),
        )
        .values(**numbers)
    )
    if renewed.rowcount == 0:
        rows.execute(
            insert(metrics).values(
                id=uuid4(),
                account_id=feed.account_id,
                connection_id=feed.connection_id,
                platform=feed.platform.value,
                content_id=content_id,
                metric_date=now.date(),
                created_at=now,
                **numbers,
            )
        )


def of_post(connection: Connection, account_id: UUID, post_id: UUID) -> PostAnalytics:
    """Return all samples of a post's published content, newest first.

    Raises ApiError (404) if the account has no such post, or it isn't published yet.
    """
    find_post(connection, account_id, post_id)
    content = connection.execute(
        select(contents.c.connection_id, contents.c.content_id)
        .where(contents.c.post_id == post_id, contents.c.account_id == account_id)
        .order_by(contents.c.created_at.desc())
        .limit(1)
    ).one_or_none()
    if content is None:
        raise not_found("published content of this post")
    samples = connection.execute(
        select(metrics.c.metric_date, *_NUMBERS)
        .where(
            metrics.c.connection_id == content.connection_id,
            metrics.c.content_id == content.content_id,
        )
        .order_by(metrics.c.metric_date.desc())
    )
    return PostAnalytics(
        post_id=post_id,
        content_id=content.content_id,
        metrics=[PostMetric.model_validate(row, from_attributes=True) for row in samples],
    )
