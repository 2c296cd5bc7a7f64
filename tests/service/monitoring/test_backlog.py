"""What is due, on both databases."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, insert, update

from app.contract.enums import EventType
from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from app.service.monitoring.backlog import Accounts, Backlog, DuePosts, read_backlog
from app.service.store.seal import Seal
from app.service.store.tables import attempts, connections, deliveries, events, posts, webhook_subscriptions
from app.service.transfer.handover import begin_leaving
from app.service.webhooks import subscriptions
from app.service.webhooks.console import sample
from app.service.webhooks.events import delivery_row, event_row
from tests.stores import ON_BOTH, service_store

pytestmark = ON_BOTH
NOW = system_clock()
_ACCOUNTS: dict[str, dict[str, Any]] = {
    "available": {"is_available": True},
    "doubted": {"is_available": True, "doubted_at": NOW},
    "unavailable": {"is_available": False, "renew_at": NOW},
}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(service_store(tmp_path)) as database:
        yield database


class Installation:
    """An account and one connected X account in each state."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.account = database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, NOW))
        self.connections = {state: self._connect(columns) for state, columns in _ACCOUNTS.items()}

    def _connect(self, columns: dict[str, Any]) -> UUID:
        row: dict[str, Any] = {
            "id": (new := uuid4()),
            "account_id": self.account,
            "platform": "x",
            "account_identifier": uuid4().hex,
            "access_token": b"",
            "created_at": NOW,
            **columns,
        }
        self.database.write_now(lambda rows: rows.execute(insert(connections).values(row)))
        return new

    def plan(self, late: timedelta, **columns: Any) -> UUID:
        row: dict[str, Any] = {
            "id": (new := uuid4()),
            "account_id": self.account,
            "connection_id": self.connections["available"],
            "platform": "x",
            "post_type": "text",
            "status": "scheduled",
            "scheduled_at": NOW - late,
            "created_via": "rest",
            "created_at": NOW,
            **columns,
        }
        self.database.write_now(lambda rows: rows.execute(insert(posts).values(row)))
        return new

    def read(self) -> Backlog:
        return self.database.read_now(lambda rows: read_backlog(rows, NOW))


def test_nothing_is_due_in_an_empty_installation(database: Database) -> None:
    backlog = database.read_now(lambda rows: read_backlog(rows, NOW))

    assert backlog == Backlog(NOW, [], 0, None, 0, None, 0, 0, 0, [])
    assert backlog.lag_seconds == backlog.delivery_lag_seconds == 0


def test_due_posts_are_ready_claimed_or_waiting(database: Database) -> None:
    there, minute = Installation(database), timedelta(minutes=1)
    there.plan(2 * minute, status="queued")
    there.plan(3 * minute, claimed_by=uuid4(), claimed_until=NOW - minute)  # its worker died
    there.plan(4 * minute, status="processing", claimed_by=uuid4(), claimed_until=NOW + minute)
    there.plan(5 * minute, claimed_until=NOW + minute)
    for ended in ("posted", "failed", "cancelled"):
        there.plan(6 * minute, status=ended)
    there.plan(-minute)

    backlog = there.read()

    assert backlog.posts == [
        DuePosts("x", "claimed", 1, NOW - 4 * minute),
        DuePosts("x", "ready", 2, NOW - 3 * minute),
        DuePosts("x", "waiting", 1, NOW - 5 * minute),
    ]
    assert backlog.lag_seconds == 180
    assert backlog.next_post == NOW + minute


def test_accounts_and_open_attempts_are_counted(database: Database) -> None:
    there = Installation(database)
    post_id = there.plan(timedelta(), status="processing")
    there.database.write_now(lambda rows: _begin(rows, there, post_id, None))
    there.database.write_now(lambda rows: _begin(rows, there, post_id, NOW))

    backlog = there.read()

    assert backlog.unresolved == 1
    assert backlog.renewals == 0  # nothing can be renewed for an account that has ended
    assert backlog.accounts == [Accounts("x", state, 1) for state in sorted(_ACCOUNTS)]


def test_what_cannot_be_done_here_is_not_due(database: Database) -> None:
    """Nobody delivers for a webhook that is off, or for an account that another service has."""
    there = Installation(database)
    post_id = there.plan(timedelta())
    database.write_now(lambda rows: _begin(rows, there, post_id, None))
    hook = database.write_now(lambda rows: _wait(rows, there))
    assert (there.read().deliveries, there.read().unresolved) == (1, 1)

    this = webhook_subscriptions.c.id == hook
    off = update(webhook_subscriptions).where(this).values(active=False)
    database.write_now(lambda rows: rows.execute(off))
    assert (there.read().deliveries, there.read().unresolved) == (0, 1)
    on = update(webhook_subscriptions).where(this).values(active=True)
    database.write_now(lambda rows: rows.execute(on))

    database.write_now(lambda rows: begin_leaving(rows, there.account, uuid4(), NOW))
    backlog = there.read()
    assert (backlog.deliveries, backlog.delivery_lag_seconds, backlog.unresolved) == (0, 0, 0)


def _wait(rows: Connection, there: Installation) -> UUID:
    """A webhook with a delivery that is due."""
    types, sealed = [EventType.POST_SCHEDULED], Seal(bytes(32))
    hook = subscriptions.add(rows, sealed, there.account, "https://receiver.example/", types, NOW).id
    event = event_row(there.account, types[0], sample(types[0], NOW), NOW)
    rows.execute(insert(events).values(event))
    rows.execute(insert(deliveries).values(delivery_row(hook, event["id"], event["type"], NOW)))
    return hook


def _begin(rows: Connection, there: Installation, post_id: UUID, finished_at: Any) -> None:
    row = {"id": uuid4(), "post_id": post_id, "account_id": there.account, "step": "publish"}
    rows.execute(insert(attempts).values(**row, outcome="pending", started_at=NOW, finished_at=finished_at))
