"""What is deleted by age, and how."""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Table, func, insert, select, true

from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from app.service.retention import Batches, Retention, RetentionSettings
from app.service.store.marks import keep_known, known_calls
from app.service.store.tables import (
    attempts,
    connections,
    idempotency_keys,
    metadata,
    metrics,
    posts,
    usage_counters,
)
from tests.stores import ON_BOTH, service_store

pytestmark = ON_BOTH
NOW = system_clock()
KEPT_FOR_GOOD = {
    # Owners delete these themselves.
    *("accounts", "connections", "contents", "posts", "media", "webhook_subscriptions", "passwords"),
    "server_apps",  # one row for each server
}
PRUNED_BY_THEIR_SUBJECT = {
    *("api_keys", "changes", "connection_flows", "deliveries", "events", "installation", "marks"),
    *("preparations", "publication_steps", "removed_posts", "sessions", "sign_in_failures"),
    *("sign_in_links", "swept_media"),
}
BY_AGE = {"attempts", "idempotency_keys", "metrics", "usage_counters"}


def test_every_table_has_a_rule_and_is_documented() -> None:
    assert set(metadata.tables) == KEPT_FOR_GOOD | PRUNED_BY_THEIR_SUBJECT | BY_AGE
    page = Path(__file__).parents[2].joinpath("docs", "operating.md").read_text("utf-8")
    assert [name for name in metadata.tables if f"`{name}`" not in page] == []


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(service_store(tmp_path)) as database:
        yield database


@pytest.fixture
def account_id(database: Database) -> UUID:
    return database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, NOW))


def put(database: Database, table: Table, *rows: dict[str, Any]) -> None:
    database.write_now(lambda opened: opened.execute(insert(table), list(rows)))


def count(database: Database, table: Table) -> int:
    return database.read_now(lambda rows: rows.scalar(select(func.count()).select_from(table)) or 0)


def connect(database: Database, account_id: UUID) -> UUID:
    row: dict[str, Any] = {
        "id": (new := uuid4()),
        "account_id": account_id,
        "platform": "x",
        "account_identifier": "robin",
        "is_available": True,
        "access_token": b"",
        "created_at": NOW,
    }
    put(database, connections, row)
    return new


async def tidy(database: Database) -> None:
    """Rounds until nothing is left to delete."""
    retention = Retention(database, RetentionSettings(), lambda: NOW)
    while await retention._round() is not None:
        pass


def days_ago(days: int) -> datetime:
    return NOW - timedelta(days=days)


async def test_old_idempotency_keys_go(database: Database, account_id: UUID) -> None:
    put(
        database,
        idempotency_keys,
        *(
            {
                "account_id": account_id,
                "idempotency_key": f"key {days}",
                "request_hash": "",
                "post_id": uuid4(),
                "created_at": days_ago(days),
            }
            for days in (1, 89, 91, 400)
        ),
    )

    await tidy(database)

    left = database.read_now(lambda rows: set(rows.scalars(select(idempotency_keys.c.idempotency_key))))
    assert left == {"key 1", "key 89"}


async def test_attempts_stay_while_their_post_is_pending_or_their_outcome_open(
    database: Database, account_id: UUID
) -> None:
    connection_id, pending, ended = connect(database, account_id), uuid4(), uuid4()
    for post_id, status in ((pending, "processing"), (ended, "posted")):
        put(
            database,
            posts,
            {
                "id": post_id,
                "account_id": account_id,
                "connection_id": connection_id,
                "platform": "x",
                "post_type": "text",
                "status": status,
                "scheduled_at": days_ago(500),
                "created_via": "rest",
                "created_at": days_ago(500),
            },
        )
    kept = [_attempt(account_id, pending, 500), _attempt(account_id, ended, 399)]
    kept.append({**_attempt(account_id, ended, 500), "finished_at": None})
    gone = [_attempt(account_id, ended, 401), _attempt(account_id, uuid4(), 401)]
    put(database, attempts, *kept, *gone)

    await tidy(database)

    left = database.read_now(lambda rows: set(rows.scalars(select(attempts.c.id))))
    assert left == {one["id"] for one in kept}


def _attempt(account_id: UUID, post_id: UUID, days: int) -> dict[str, Any]:
    at = days_ago(days)
    return {
        "id": uuid4(),
        "post_id": post_id,
        "account_id": account_id,
        "step": "publish",
        "outcome": "published",
        "started_at": at,
        "finished_at": at,
    }


async def test_of_old_numbers_the_newest_of_each_item_stay(database: Database, account_id: UUID) -> None:
    connection_id = connect(database, account_id)
    days = {"old": (500, 450, 420), "both": (410, 401, 399, 1), "single": (700,)}
    put(
        database,
        metrics,
        *(
            _numbers(account_id, connection_id, content_id, NOW.date() - timedelta(days=ago))
            for content_id, ages in days.items()
            for ago in ages
        ),
    )

    await tidy(database)

    found = database.read_now(
        lambda rows: rows.execute(select(metrics.c.content_id, metrics.c.metric_date)).all()
    )
    assert {(name, (NOW.date() - day).days) for name, day in found} == {
        *{("old", 420), ("both", 399), ("both", 1), ("single", 700)}
    }


def _numbers(account_id: UUID, connection_id: UUID, content_id: str, day: date) -> dict[str, Any]:
    zero = dict.fromkeys(("views", "likes", "comments", "shares", "subscribers"), 0)
    return {
        "id": uuid4(),
        "account_id": account_id,
        "connection_id": connection_id,
        "platform": "x",
        "content_id": content_id,
        "metric_date": day,
        "created_at": NOW,
        **zero,
    }


async def test_old_counters_go(database: Database, account_id: UUID) -> None:
    periods = [f"{days_ago(days):%Y-%m}" for days in (0, 700, 1_000)]
    put(
        database,
        usage_counters,
        *({"account_id": account_id, "period": one, "action": "a", "count": 1} for one in periods),
    )

    await tidy(database)

    left = database.read_now(lambda rows: set(rows.scalars(select(usage_counters.c.period))))
    assert left == set(periods[:2])


async def test_calls_known_for_long_are_forgotten(database: Database) -> None:
    old, new = uuid4(), uuid4()
    database.write_now(lambda rows: keep_known(rows, [old], days_ago(100)))
    database.write_now(lambda rows: keep_known(rows, [new], days_ago(10)))

    await tidy(database)

    assert database.read_now(lambda rows: known_calls(rows, [old, new])) == {new}


@pytest.mark.parametrize(("seconds_a_row", "least", "most"), [(0.002, 1, 10), (0.000_001, 101, 5_000)])
async def test_batches_become_as_large_as_they_may_take_long(
    database: Database, account_id: UUID, seconds_a_row: float, least: int, most: int
) -> None:
    put(
        database,
        idempotency_keys,
        *(
            {
                "account_id": account_id,
                "idempotency_key": str(number),
                "request_hash": "",
                "post_id": uuid4(),
                "created_at": NOW,
            }
            for number in range(2_000)
        ),
    )

    def ticks() -> Iterator[float]:
        """The times before and after each batch."""
        for now in itertools.count():
            yield now
            yield now + batches.size * seconds_a_row

    clock = ticks()
    batches = Batches(database, lambda: next(clock))
    for _ in range(4):
        await batches.delete(idempotency_keys, true())

    assert least <= batches.size <= most


@pytest.mark.only_on("postgresql")  # SQLite has one writer at a time
async def test_rows_that_another_writer_has_locked_are_left_for_later(
    database: Database, account_id: UUID
) -> None:
    shared = {"account_id": account_id, "request_hash": "", "post_id": uuid4(), "created_at": days_ago(400)}
    put(
        database,
        idempotency_keys,
        *({**shared, "idempotency_key": name} for name in ("locked", "free")),
    )
    with database.engine.connect() as other, other.begin():
        name = idempotency_keys.c.idempotency_key
        other.execute(select(idempotency_keys).where(name == "locked").with_for_update())
        await asyncio.wait_for(tidy(database), 10)
        assert count(database, idempotency_keys) == 1
    await tidy(database)

    assert count(database, idempotency_keys) == 0
