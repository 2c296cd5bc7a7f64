"""Deletion of a connected account, or of an account with everything it has.

Rows are deleted in small batches, so that nobody waits for them. If it's interrupted, running it again
continues. Nothing is published meanwhile.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Table, delete, select, union_all, update

from app.contract.enums import SubscriptionStatus
from app.database import Database
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
    database.read_now(lambda rows: _require_quiet(rows, "connection_id", connection_id))
    database.write_now(lambda rows: erase_access(rows, connection_id))  # no new posts, no renewals
    counts: dict[str, int] = {}
    for table, which in _of_connection(connections.c.id == connection_id):
        counts[table.name] = _delete(database, table, which, now)
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
    database.read_now(lambda rows: _require_quiet(rows, "account_id", account_id))
    files = database.read_now(lambda rows: _files(rows, account_id))
    for place in files:
        database.write_now(partial(_forget_file, place))
    counts: dict[str, int] = {}
    for table, which in _of_account(account_id):
        counts[table.name] = counts.get(table.name, 0) + _delete(database, table, which, now)
    database.write_now(lambda rows: _delete_rest(rows, account_id))
    counts[accounts.name] = 1
    return Deleted({name: count for name, count in counts.items() if count}, files)


def _delete_rest(rows: Connection, account_id: UUID) -> None:
    """Delete the account, and what running services stored for it during the deletion, such as counted calls.

    The lock keeps them from storing more.
    """
    lock_account(rows, account_id)
    for table, which in (*_of_account(account_id), (accounts, accounts.c.id == account_id)):
        rows.execute(delete(table).where(which))


def _files(rows: Connection, account_id: UUID) -> list[Place]:
    columns = select(media.c.storage_path, media.c.object_key)
    return [place_of(row) for row in rows.execute(columns.where(media.c.account_id == account_id)).mappings()]


def _forget_file(place: Place, rows: Connection) -> None:
    remove(rows, place.storage_path)


def _require_quiet(rows: Connection, column: str, value: UUID) -> None:
    """Raise CommandProblem during a call whose outcome would be lost, also for a deleted post."""
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


_Part = tuple[Table, ColumnElement[bool]]


def _of_connection(this: ColumnElement[bool]) -> Iterator[_Part]:
    """Yield the tables in an order in which no row is missed by others that refer to it."""
    ids = select(connections.c.id).where(this)
    its_posts = select(posts.c.id).where(posts.c.connection_id.in_(ids))
    for table in (publication_steps, preparations, attempts):
        yield table, table.c.post_id.in_(its_posts)
    for table in (metrics, contents, removed_posts, posts):
        yield table, table.c.connection_id.in_(ids)
    yield connections, this


def _of_account(account_id: UUID) -> Iterator[_Part]:
    yield from _of_connection(connections.c.account_id == account_id)
    subscriptions = select(webhook_subscriptions.c.id).where(webhook_subscriptions.c.account_id == account_id)
    yield deliveries, deliveries.c.subscription_id.in_(subscriptions)
    for table in (
        *(webhook_subscriptions, events, attempts, idempotency_keys, media, usage_counters),
        *(connection_flows, sessions, sign_in_links, passwords, api_keys, changes),
    ):
        yield table, table.c.account_id == account_id


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
