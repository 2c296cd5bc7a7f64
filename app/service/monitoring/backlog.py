"""SQL for the work that is due: what an installation has to do, and how late it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from app.database import is_one_of
from app.service.accounts.moves import is_here
from app.service.publishing.history import Event, sources
from app.service.publishing.pauses import is_paused, read_paused
from app.service.store.tables import (
    attempts,
    connections,
    contents,
    deliveries,
    media,
    posts,
    webhook_subscriptions,
)
from app.service.webhooks.queue import IS_SERVED

PostState = Literal["ready", "claimed", "waiting"]
"""Ready: any worker may take it. Claimed: a worker has it. Waiting: for a retry, an account, its owner, or
the end of a pause."""


@dataclass(frozen=True, slots=True)
class DuePosts:
    """Posts of a platform whose time has come and whose outcome is open. ``oldest`` is when one was due."""

    platform: str
    state: PostState
    count: int
    oldest: datetime


@dataclass(frozen=True, slots=True)
class Accounts:
    """Connected accounts of a platform: ``available``, ``doubted`` or ``unavailable``."""

    platform: str
    state: str
    count: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """What an installation has to do.

    Attributes:
        at: When it was read.
        posts: Due posts by platform and state, without those that don't exist.
        unresolved: Attempts to publish whose outcome isn't known yet.
        next_post: When the next post is due.
        deliveries: Webhook deliveries that are due.
        oldest_delivery: Since when the oldest is.
        renewals: Accounts whose access should be renewed by now.
        samples: Published items whose metrics should be collected by now.
        unprobed: Files that weren't examined yet.
        accounts: Connected accounts.
        paused_connections: How many of them are paused.
        is_queue_paused: Whether nothing is published at all.
    """

    at: datetime
    posts: Sequence[DuePosts]
    unresolved: int
    next_post: datetime | None
    deliveries: int
    oldest_delivery: datetime | None
    renewals: int
    samples: int
    unprobed: int
    accounts: Sequence[Accounts]
    paused_connections: int = 0
    is_queue_paused: bool = False

    def posts_in(self, state: PostState) -> int:
        """Return how many due posts are in a state."""
        return sum(one.count for one in self.posts if one.state == state)

    @property
    def lag_seconds(self) -> float:
        """How late the oldest post is that nothing but a worker is missing for; 0 without one."""
        oldest = min((one.oldest for one in self.posts if one.state == "ready"), default=self.at)
        return max(0.0, (self.at - oldest).total_seconds())

    @property
    def delivery_lag_seconds(self) -> float:
        """How late the oldest delivery is; 0 without one."""
        return max(0.0, (self.at - (self.oldest_delivery or self.at)).total_seconds())


def read_backlog(rows: Connection, now: datetime) -> Backlog:
    """Read what is to be done. Uses indexes only, apart from the connected accounts."""
    due, paused = deliveries.c.next_attempt_at <= now, read_paused(rows)
    waiting, oldest = rows.execute(
        select(func.count(), func.min(deliveries.c.next_attempt_at))
        .join(webhook_subscriptions, webhook_subscriptions.c.id == deliveries.c.subscription_id)
        .where(due, IS_SERVED)
    ).one()
    return Backlog(
        at=now,
        posts=_due_posts(rows, now),
        unresolved=_count(rows, attempts.c.finished_at.is_(None), is_here(attempts.c.account_id)),
        next_post=rows.scalar(
            select(func.min(posts.c.scheduled_at)).where(
                is_one_of(posts.c.status, ["scheduled"]), posts.c.scheduled_at > now
            )
        ),
        deliveries=waiting,
        oldest_delivery=oldest,
        renewals=_count(
            rows,
            connections.c.is_available,
            connections.c.renew_at <= now,
            is_here(connections.c.account_id),
        ),
        samples=_count(rows, contents.c.next_sample_at <= now, is_here(contents.c.account_id)),
        unprobed=_count(rows, media.c.probe_after.is_not(None)),
        accounts=_accounts(rows),
        paused_connections=len(paused.connections),
        is_queue_paused=paused.everything,
    )


def _count(rows: Connection, *where: ColumnElement[bool]) -> int:
    return rows.scalar(select(func.count()).where(*where)) or 0


def _due_posts(rows: Connection, now: datetime) -> list[DuePosts]:
    is_held = or_(posts.c.claimed_until > now, is_paused())
    state = case(
        (and_(posts.c.claimed_until > now, posts.c.claimed_by.is_not(None)), "claimed"),
        (is_held, "waiting"),
        else_="ready",
    ).label("state")
    found = rows.execute(
        select(posts.c.platform, state, func.count(), func.min(posts.c.scheduled_at))
        .where(is_one_of(posts.c.status, sources(Event.BEGIN)), posts.c.scheduled_at <= now)
        .group_by(posts.c.platform, state)
        .order_by(posts.c.platform, state)
    )
    return [DuePosts(*row) for row in found]


def _accounts(rows: Connection) -> list[Accounts]:
    state = case(
        (connections.c.is_available.is_(False), "unavailable"),
        (connections.c.doubted_at.is_not(None), "doubted"),
        else_="available",
    ).label("state")
    found = rows.execute(
        select(connections.c.platform, state, func.count())
        .group_by(connections.c.platform, state)
        .order_by(connections.c.platform, state)
    )
    return [Accounts(*row) for row in found]
