"""Samples on their way into the store: which items are due, and what was found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, bindparam, insert, select, update

from app.contract.enums import ConnectionPlatform
from app.platforms.base import ContentMetrics
from app.service.analytics.schedule import SAMPLED_FOR, next_sample
from app.service.store.tables import connections, contents, metrics


@dataclass(frozen=True, slots=True)
class Item:
    """A published item. ``id`` is our record's, ``content_id`` the platform's."""

    id: UUID
    content_id: str
    published_at: datetime


@dataclass(frozen=True, slots=True)
class Feed:
    """The items of one connected account that are sampled together."""

    connection_id: UUID
    account_id: UUID
    platform: ConnectionPlatform
    account_identifier: str
    items: Sequence[Item]


def take_due(rows: Connection, now: datetime, until: datetime, most: int) -> list[Feed]:
    """Takes the items whose time has come, those that wait longest first, by account.

    Nobody else takes them before ``until``: by then they are stored or postponed, or who took them is dead.
    """
    waiting = (
        select(contents.c.id)
        .where(contents.c.next_sample_at <= now)
        .order_by(contents.c.next_sample_at)
        .limit(most)
        .with_for_update(skip_locked=True)
        .cte("waiting")
    )
    taken = rows.scalars(
        update(contents)
        .where(contents.c.id.in_(select(waiting.c.id)))
        .values(next_sample_at=until)
        .returning(contents.c.id)
    ).all()
    return _feeds(rows.execute(_ITEMS.where(contents.c.id.in_(taken)))) if taken else []


def everything(rows: Connection, now: datetime) -> list[Feed]:
    """Every item that is young enough to be sampled at all, by account."""
    return _feeds(rows.execute(_ITEMS.where(contents.c.created_at > now - SAMPLED_FOR)))


def store(
    rows: Connection, feed: Feed, found: Iterable[ContentMetrics], followers: int | None, now: datetime
) -> int:
    """Keeps what a platform told, one row for an item and a day; gives the number of rows.

    Items that it did not tell of are asked for again when the schedule says so.
    """
    asked = {item.content_id for item in feed.items}
    told = {one.content_id: one for one in found if one.content_id in asked}
    if followers is not None:
        rows.execute(
            update(connections).where(connections.c.id == feed.connection_id).values(follower_count=followers)
        )
    subscribers = rows.scalar(_FOLLOWERS, {"whose": feed.connection_id}) or 0
    for one in told.values():
        _keep(rows, feed, one.content_id, {**_numbers(one), "subscribers": subscribers}, now)
    plan = {item.id: next_sample(item.published_at, now) for item in feed.items}
    rows.execute(_PLAN, [{"item": item, "at": at} for item, at in plan.items()])
    return len(told)


def postpone(rows: Connection, feed: Feed, until: datetime) -> None:
    """Asks again at ``until``, since this time there was no answer."""
    rows.execute(_PLAN, [{"item": item.id, "at": until} for item in feed.items])


_ITEMS = select(
    contents.c.id,
    contents.c.content_id,
    contents.c.created_at,
    connections.c.id.label("connection_id"),
    connections.c.account_id,
    connections.c.platform,
    connections.c.account_identifier,
).join(connections, connections.c.id == contents.c.connection_id)
_FOLLOWERS = select(connections.c.follower_count).where(connections.c.id == bindparam("whose"))
_PLAN = update(contents).where(contents.c.id == bindparam("item")).values(next_sample_at=bindparam("at"))


def _feeds(found: Iterable[Any]) -> list[Feed]:
    items: dict[tuple[UUID, UUID, str, str], list[Item]] = {}
    for row in found:
        whose = (row.connection_id, row.account_id, row.platform, row.account_identifier)
        items.setdefault(whose, []).append(Item(row.id, row.content_id, row.created_at))
    return [
        Feed(connection_id, account_id, ConnectionPlatform(platform), identifier, own)
        for (connection_id, account_id, platform, identifier), own in items.items()
    ]


def _numbers(one: ContentMetrics) -> dict[str, int]:
    """What a platform does not report is 0 in the row."""
    return {
        "views": one.views or 0,
        "likes": one.likes or 0,
        "comments": one.comments or 0,
        "shares": one.shares or 0,
    }


def _keep(rows: Connection, feed: Feed, content_id: str, numbers: Mapping[str, int], now: datetime) -> None:
    """The latest sample of a day counts; its row keeps its id."""
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
