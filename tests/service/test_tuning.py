"""How PostgreSQL stores tables that are updated often."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Table, insert, text, update

from app.database import Database
from app.service.store.tables import accounts, marks, preparations, webhook_subscriptions
from tests.stores import service_store

UPDATES = 20
NOW = datetime(2031, 1, 1, tzinfo=UTC)
ONE = UUID(int=1)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with closing(service_store(tmp_path_factory.mktemp("tuning"), "postgresql")) as opened:
        opened.write_now(_fill)
        yield opened


def _fill(rows: Connection) -> None:
    rows.execute(insert(accounts).values(id=ONE, name="A", plan="local", status="active", created_at=NOW))
    rows.execute(
        insert(webhook_subscriptions).values(
            id=ONE,
            account_id=ONE,
            url="https://hooks.example",
            events=[],
            secret=b"x",
            active=True,
            failure_count=0,
            created_at=NOW,
            updated_at=NOW,
        )
    )
    rows.execute(insert(preparations).values(post_id=ONE))
    rows.execute(insert(marks).values(name="a", value="0"))


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (webhook_subscriptions, {"claimed_by": ONE, "claimed_until": NOW, "failure_count": 1}),
        (preparations, {"held_by": ONE, "held_until": NOW, "tries": 2}),
        (marks, {"value": "1"}),
    ],
    ids=lambda value: value.name if isinstance(value, Table) else "",
)
def test_updates_of_queues_touch_no_index(database: Database, table: Table, values: dict[str, Any]) -> None:
    # Statistics are of one connection, until it reports them.
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as rows:
        for _ in range(UPDATES):
            rows.execute(update(table).values(values))
        rows.execute(text("SELECT pg_stat_force_next_flush()"))
        counts = text("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = :table")
        assert rows.execute(counts, {"table": table.name}).one() == (UPDATES, UPDATES)


def test_growing_tables_are_vacuumed_after_a_small_share_of_changes(database: Database) -> None:
    tuned = text(
        "SELECT relname FROM pg_class WHERE relkind = 'r'"
        " AND 'autovacuum_vacuum_scale_factor=0.02' = ANY (reloptions)"
    )
    names = set(database.read_now(lambda rows: rows.scalars(tuned).all()))
    assert {"posts", "attempts", "contents", "metrics", "events", "deliveries", "changes"} <= names
