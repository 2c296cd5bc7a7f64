"""Deletion of a connected account, or of an account with everything it has.

Rows are deleted in small batches, so that nobody waits for them. If it's interrupted, running it again
continues. Nothing is published meanwhile.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Table, delete, select, union_all, update

from app.contract.enums import PostStatus, SubscriptionStatus
from app.database import Database, is_one_of
from app.service.accounts.accounts import lock_account, require_account
from app.service.connections.rows import erase_access
from app.service.media.rows import remove
from app.service.media.stores import Place, place_of
from app.service.problems import CommandProblem
from app.service.publishing.pauses import pause_account, pause_connection
from app.service.retention import delete_batch
from app.service.store.marks import keep_known
from app.service.store.tables import (
    accounts,
    api_keys,
    attempts,
    changes,
    connection_flows,
    connections,
    contents,
    deliveries,
    events,
    idempotency_keys,
    media,
    metrics,
    passwords,
    posts,
    preparations,
    publication_steps,
    removed_posts,
    sessions,
    sign_in_links,
    usage_counters,
    webhook_subscriptions,
)

_BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class Deleted:
    """How many rows were deleted, by table, and the files whose rows are gone."""

    rows: dict[str, int]
    files: list[Place]


def delete_connection(database: Database, connection_id: UUID, now: datetime) -> Deleted:
    """Delete a connected account, its posts, history and numbers. Blocking.

    What was published stays on the platform. Raises CommandProblem for an unknown account, or while one of
    its posts is being published.
    """
    database.write_now(lambda rows: pause_connection(rows, connection_id, now))
    database.write_now(lambda rows: _require_quiet(rows, "connection_id", connection_id))
    database.write_now(lambda rows: erase_access(rows, connection_id))  # no renewals
    counts = _delete_connections(database, connections.c.id == connection_id, now)
    return Deleted({**counts, connections.name: 1}, [])


def delete_account(database: Database, account_id: UUID, now: datetime) -> Deleted:
    """Delete an account and everything it has. Blocking.

    The caller deletes the files themselves; otherwise, the next sweep does. Raises CommandProblem for an
    unknown account, or while one of its posts is being published.
    """

    def close(rows: Connection) -> None:
        require_account(rows, account_id, lock=True)
        pause_account(rows, account_id, now)
        inactive = update(accounts).where(accounts.c.id == account_id)
        rows.execute(inactive.values(status=SubscriptionStatus.INACTIVE.value))
        for table in (sessions, sign_in_links):
            rows.execute(delete(table).where(table.c.account_id == account_id))

    database.write_now(close)
    database.write_now(lambda rows: _require_quiet(rows, "account_id", account_id))
    files = database.read_now(lambda rows: _files(rows, account_id))
    for place in files:
        database.write_now(partial(_forget_file, place))
    counts = _delete_connections(database, connections.c.account_id == account_id, now)
    counts += _delete_parts(database, _of_account(account_id), now)
    counts += database.write_now(lambda rows: _delete_rest(rows, account_id))
    return Deleted(dict(counts), files)


def _delete_connections(database: Database, which: ColumnElement[bool], now: datetime) -> Counter[str]:
    """Delete connected accounts and what they have; return how many rows, by table."""

    def delete_rest(rows: Connection) -> Counter[str]:
        rows.execute(select(connections.c.id).where(which).with_for_update())  # no more posts are created
        return _delete_each(rows, (*_of_connections(which), (connections, which)))

    return _delete_parts(database, _of_connections(which), now) + database.write_now(delete_rest)


def _delete_rest(rows: Connection, account_id: UUID) -> Counter[str]:
    """Delete the account, and what running services stored for it during the deletion, such as counted calls.

    The lock keeps them from storing more.
    """
    lock_account(rows, account_id)
    own = connections.c.account_id == account_id
    this = accounts, accounts.c.id == account_id
    return _delete_each(rows, (*_of_connections(own), (connections, own), *_of_account(account_id), this))


def _files(rows: Connection, account_id: UUID) -> list[Place]:
    columns = select(media.c.storage_path, media.c.object_key)
    return [place_of(row) for row in rows.execute(columns.where(media.c.account_id == account_id)).mappings()]


def _forget_file(place: Place, rows: Connection) -> None:
    remove(rows, place.storage_path)


def _require_quiet(rows: Connection, column: str, value: UUID) -> None:
    """Raise CommandProblem during a call whose outcome would be lost, also for a deleted post.

    Call it in a write transaction of its own, after publishing was paused.
    """
    # A worker that read that nothing is paused is about to commit its attempt. Without its claim, it may not
    # begin the call; if it has begun, the lock waits for its commit.
    is_claimed = posts.c[column] == value, posts.c.claimed_by.is_not(None)
    waiting = update(posts).where(*is_claimed, is_one_of(posts.c.status, _NOT_BEGUN))
    rows.execute(waiting.values(claimed_by=None, claimed_until=None))
    rows.execute(select(posts.c.id).where(*is_claimed).with_for_update())
    open_attempts = (
        select(attempts.c.id)
        .join(table, table.c.id == attempts.c.post_id)
        .where(table.c[column] == value, attempts.c.finished_at.is_(None))
        for table in (posts, removed_posts)
    )
    if rows.scalar(union_all(*open_attempts).limit(1)) is not None:
        raise CommandProblem(
            "A post is being published, or its outcome isn't known yet. Nothing was deleted, and publishing "
            "is paused. Try again in a few minutes."
        )


_NOT_BEGUN: Final = (PostStatus.SCHEDULED.value, PostStatus.QUEUED.value)

_Part = tuple[Table, ColumnElement[bool]]


def _of_connections(this: ColumnElement[bool]) -> Iterator[_Part]:
    """Yield what connected accounts have, in an order in which no other row refers to deleted ones."""
    ids = select(connections.c.id).where(this)
    its_posts = select(posts.c.id).where(posts.c.connection_id.in_(ids))
    for table in (publication_steps, preparations, attempts):
        yield table, table.c.post_id.in_(its_posts)
    for table in (metrics, contents, removed_posts, posts):
        yield table, table.c.connection_id.in_(ids)


def _of_account(account_id: UUID) -> Iterator[_Part]:
    """Yield what an account has in addition to connected accounts and theirs."""
    subscriptions = select(webhook_subscriptions.c.id).where(webhook_subscriptions.c.account_id == account_id)
    yield deliveries, deliveries.c.subscription_id.in_(subscriptions)
    for table in (
        *(webhook_subscriptions, events, attempts, idempotency_keys, media, usage_counters),
        *(connection_flows, sessions, sign_in_links, passwords, api_keys, changes),
    ):
        yield table, table.c.account_id == account_id


def _delete_parts(database: Database, parts: Iterable[_Part], now: datetime) -> Counter[str]:
    """Delete rows in batches; return how many, by table."""
    counts: Counter[str] = Counter()
    for table, which in parts:
        counts[table.name] += _delete(database, table, which, now)
    return counts


def _delete_each(rows: Connection, parts: Iterable[_Part]) -> Counter[str]:
    """Delete the rows that are left; return how many, by table."""
    counts: Counter[str] = Counter()
    for table, which in parts:
        counts[table.name] += rows.execute(delete(table).where(which)).rowcount
    return counts


def _delete(database: Database, table: Table, which: ColumnElement[bool], now: datetime) -> int:
    batch = _attempts_batch(which, now) if table is attempts else _batch(table, which)
    total = 0
    while count := database.write_now(batch):
        total += count
    return total


def _batch(table: Table, which: ColumnElement[bool]) -> Callable[[Connection], int]:
    return lambda rows: delete_batch(rows, table, which, _BATCH)


def _attempts_batch(which: ColumnElement[bool], now: datetime) -> Callable[[Connection], int]:
    """Record deleted attempts as known: the journal of calls has them, and must not miss them."""

    def work(rows: Connection) -> int:
        ids = rows.scalars(select(attempts.c.id).where(which).limit(_BATCH)).all()
        keep_known(rows, ids, now)
        rows.execute(delete(attempts).where(attempts.c.id.in_(ids)))
        return len(ids)

    return work
