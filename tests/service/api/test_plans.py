"""Every list is read off an index in the order in which it runs, whatever is filtered by."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeAlias
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Select, Table, event, insert, text

from app.contract.enums import ConnectionPlatform
from app.contract.posts import PostListQuery
from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.analytics.routes import METRICS
from app.service.api.listing import Listing
from app.service.companion.change_log import (
    Position,
    changes_of,
    concerned,
    concerned_accounts,
)
from app.service.connections.routes import CONNECTIONS
from app.service.history import CONTENTS
from app.service.posts.routes import POSTS
from app.service.store.tables import (
    changes,
    connections,
    contents,
    deliveries,
    events,
    metrics,
    posts,
    webhook_subscriptions,
)
from app.service.webhooks.routes import DELIVERIES
from tests.stores import service_store

ROWS = 3_000
NOW = datetime(2031, 1, 1, tzinfo=UTC)
TODAY = date(2031, 1, 1)
BEGINNING = Position(0, 0)
EARLIER = NOW - timedelta(days=1), UUID(int=2**127)
EARLIER_DAY = TODAY - timedelta(days=2), UUID(int=2**127)
AnySelect: TypeAlias = Select[*tuple[Any, ...]]
X, LINKEDIN = ConnectionPlatform.X, ConnectionPlatform.LINKEDIN


@pytest.fixture(scope="module")
def owner() -> UUID:
    return uuid4()


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, owner: UUID) -> Iterator[Database]:
    """An account with many rows, none of them on X, cancelled, in the batch "other" or delivered."""
    with closing(service_store(tmp_path_factory.mktemp("plans"), "postgresql")) as database:
        database.write_now(lambda rows: _fill(rows, owner))
        with database.engine.connect() as plain:
            plain.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("ANALYZE")
        yield database


def _fill(rows: Connection, owner: UUID) -> None:
    account = create_account(rows, "Plans", Plan.LOCAL, NOW)
    rows.execute(
        text("UPDATE accounts SET id = :new WHERE id = :old"), {"new": owner.hex, "old": account.hex}
    )
    connection, subscription, told = uuid4(), uuid4(), uuid4()
    common = {"account_id": owner, "platform": LINKEDIN.value}

    def add(table: Table, values: Sequence[Mapping[str, Any]]) -> None:
        rows.execute(insert(table), list(values))

    def at(number: int) -> datetime:
        return NOW - timedelta(minutes=number)

    add(
        connections,
        [
            {
                **common,
                "id": connection if number == 0 else uuid4(),
                "account_identifier": str(number),
                "is_available": True,
                "access_token": b"x",
                "created_at": at(number),
            }
            for number in range(ROWS)
        ],
    )
    add(
        posts,
        [
            {
                **common,
                "id": uuid4(),
                "connection_id": connection,
                "post_type": "text",
                "status": "posted",
                "scheduled_at": at(number),
                "batch_id": "spring" if number % 2 else None,
                "created_via": "rest",
                "created_at": at(number),
            }
            for number in range(ROWS)
        ],
    )
    add(
        contents,
        [
            {
                **common,
                "id": uuid4(),
                "connection_id": connection,
                "content_id": str(number),
                "created_via": "rest",
                "created_at": at(number),
            }
            for number in range(ROWS)
        ],
    )
    numbers = dict.fromkeys(("views", "likes", "comments", "shares", "subscribers"), 1)
    add(
        metrics,
        [
            {
                **common,
                **numbers,
                "id": uuid4(),
                "connection_id": connection,
                "content_id": str(number % 100),
                "metric_date": TODAY - timedelta(days=number // 100),
                "created_at": at(number),
            }
            for number in range(ROWS)
        ],
    )
    add(events, [{"id": told, "account_id": owner, "type": "post.failed", "data": "{}", "created_at": NOW}])
    add(
        webhook_subscriptions,
        [
            {
                "id": subscription,
                "account_id": owner,
                "url": "https://hooks.example.com",
                "events": ["post.failed"],
                "secret": b"x",
                "active": True,
                "failure_count": 0,
                "created_at": NOW,
                "updated_at": NOW,
            }
        ],
    )
    add(
        deliveries,
        [
            {
                "id": uuid4(),
                "subscription_id": subscription,
                "event_id": told,
                "event_type": "post.failed",
                "attempt": 1,
                "retry": 0,
                "next_attempt_at": NOW if number > 50 else None,
                "created_at": at(-number),
            }
            for number in range(ROWS)
        ],
    )
    add(
        changes,
        [
            {"account_id": uuid4(), "kind": "post.changed", "subject": "x", "created_at": NOW}
            for _ in range(ROWS)
        ],
    )


def _statements(subscription: UUID) -> Iterator[tuple[str, AnySelect, Mapping[str, Any]]]:
    told = {"status": ("posted", "cancelled"), "platform": ("linkedin", "x"), "batch_id": ("spring", "other")}
    assert set(told) == set(PostListQuery.model_fields) - {"limit", "cursor"}
    platforms = {"platform": (LINKEDIN.value, X.value)}
    yield from _pages("posts", POSTS, told)
    yield from _pages("contents", CONTENTS, platforms)
    yield from _pages("connections", CONNECTIONS, {**platforms, "is_available": (True,)})
    for days in (1, 90):
        before = TODAY - timedelta(days=days)
        yield from _pages("metrics", METRICS, {**platforms, "content_id": ("7", "none")}, before=before)
    yield from _pages("deliveries", DELIVERIES, {}, subscription_id=subscription)


def _pages(
    name: str, listing: Listing, filters: Mapping[str, Sequence[Any]], **given: Any
) -> Iterator[tuple[str, AnySelect, Mapping[str, Any]]]:
    """The first and a later page of a list for every combination of its filters."""
    earlier = EARLIER_DAY if listing is METRICS else EARLIER
    for count in range(len(filters) + 1):
        for names in itertools.combinations(filters, count):
            for values in itertools.product(*(filters[one] for one in names)):
                chosen = {**given, **dict(zip(names, values, strict=True)), "most": 21}
                later = {**chosen, "after_at": earlier[0], "after_id": earlier[1]}
                yield f"{name} {chosen} first", listing.statement(names, is_first=True), chosen
                yield f"{name} {chosen} later", listing.statement(names, is_first=False), later


def _read_rows(plan: Mapping[str, Any]) -> int:
    """How many rows a plan reads or drops in all its scans, and that it reads no table from end to end."""
    assert plan["Node Type"] != "Seq Scan", plan
    own = 0
    if "Scan" in plan["Node Type"]:
        own = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    return int(own) + sum(_read_rows(part) for part in plan.get("Plans", ()))


def _plan(rows: Connection, statement: AnySelect, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """How the server carries out a statement, which it does."""

    def explain(*call: Any, **_more: Any) -> tuple[str, Any]:
        return f"EXPLAIN (ANALYZE, FORMAT JSON) {call[2]}", call[3]

    event.listen(rows, "before_cursor_execute", explain, retval=True)
    try:
        cursor = rows.execute(statement, values).cursor
        assert cursor is not None
        [[[told]]] = cursor.fetchall()
    finally:
        event.remove(rows, "before_cursor_execute", explain)
    found: Mapping[str, Any] = told["Plan"]
    return found


def test_every_combination_of_filters_reads_one_page_off_an_index(stored: Database, owner: UUID) -> None:
    def work(rows: Connection) -> dict[str, int]:
        subscription = rows.execute(webhook_subscriptions.select()).one().id
        found = {}
        for name, statement, values in _statements(subscription):
            found[name] = _read_rows(_plan(rows, statement, {**values, "account_id": owner}))
        return found

    found = stored.read_now(work)
    assert len(found) > 80
    assert {name: count for name, count in found.items() if count > 100} == {}


def test_a_stream_looks_for_changes_of_its_own_account_alone(stored: Database, owner: UUID) -> None:
    """Thousands of changes of others are not read, however far behind the stream is."""
    stranger = uuid4()

    def work(rows: Connection) -> tuple[int, int]:
        looked = _plan(rows, concerned_accounts(BEGINNING, [owner, stranger]), {})
        return _read_rows(looked), _read_rows(_plan(rows, changes_of(stranger, BEGINNING, 100), {}))

    assert stored.read_now(lambda rows: concerned(rows, BEGINNING, [owner, stranger]).now) == {owner}
    looked, read = stored.read_now(work)
    assert looked <= 10
    assert read == 0
