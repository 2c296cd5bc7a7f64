"""Posts by the time of their publication."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, insert, text

from app.contract.base import format_timestamp
from app.service.store.tables import posts
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import envelope
from tests.stores import sqlite_alone

NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)


def place(caller: Caller, minutes: Sequence[int]) -> list[tuple[datetime, str]]:
    """Stores posts at minutes from noon; gives time and id of each, in the order of the calendar."""
    connection_id = UUID(caller.connect())
    rows = [
        {
            "id": uuid4(),
            "account_id": caller.account_id,
            "connection_id": connection_id,
            "platform": "linkedin",
            "post_type": "text",
            "status": "scheduled",
            "description": "Hello",
            "scheduled_at": NOON + timedelta(minutes=minute),
            "media_storage_path": "",
            "created_via": "rest",
            "created_at": NOON,
        }
        for minute in minutes
    ]

    def work(opened: Connection) -> None:
        if rows:
            opened.execute(insert(posts), rows)

    caller.service.database.write_now(work)
    return sorted((row["scheduled_at"], str(row["id"])) for row in rows)  # type: ignore[misc]


def listed(caller: Caller, start: datetime, end: datetime, **query: Any) -> list[dict[str, Any]]:
    """Every page of a span."""
    asked = {"from": format_timestamp(start), "to": format_timestamp(end), **query}
    found: list[dict[str, Any]] = []
    while True:
        answer = caller.http.get(f"{caller.service.base_url}/companion/v1/posts", params=asked)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        assert set(page) == {"data", "next_cursor"}
        assert len(page["data"]) <= int(query.get("limit", 100))
        found += page["data"]
        if page["next_cursor"] is None:
            return found
        asked["cursor"] = page["next_cursor"]


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    minutes=st.lists(st.integers(-5, 5), max_size=12),
    span=st.tuples(st.integers(-6, 6), st.integers(-6, 6)),
    limit=st.integers(1, 5),
)
def test_a_span_holds_its_beginning_and_not_its_end_each_post_once_in_order(
    service: RunningService, minutes: list[int], span: tuple[int, int], limit: int
) -> None:
    caller = service.new_caller()
    placed = place(caller, minutes)
    start, end = (NOON + timedelta(minutes=minute) for minute in span)
    expected = [post_id for at, post_id in placed if start <= at < end]
    assert [post["id"] for post in listed(caller, start, end, limit=limit)] == expected


def test_it_gives_whole_posts_of_the_account_alone(service: RunningService, caller: Caller) -> None:
    post = caller.create(caller.connect())
    at = datetime.fromisoformat(post["scheduled_at"])
    assert listed(caller, at, at + timedelta(milliseconds=1)) == [{**post, "options": None, "by_hand": False}]
    assert listed(service.new_caller(), at, at + timedelta(days=1)) == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({}, "from"),
        ({"from": "2030-05-01T12:00:00Z"}, "to"),
        ({"from": "2030-05-01T12:00:00", "to": "2030-06-01T12:00:00Z"}, "from"),
        ({"from": "soon", "to": "2030-06-01T12:00:00Z"}, "from"),
        ({"from": "2030-05-01T12:00:00Z", "to": "2030-06-01T12:00:00Z", "limit": "501"}, "limit"),
        ({"from": "2030-05-01T12:00:00Z", "to": "2030-06-01T12:00:00Z", "limit": "0"}, "limit"),
        ({"from": "2030-05-01T12:00:00Z", "to": "2030-06-01T12:00:00Z", "cursor": "x"}, "cursor"),
    ],
)
def test_a_span_that_is_none_is_refused_by_field(caller: Caller, query: dict[str, str], field: str) -> None:
    refused = caller.http.get(f"{caller.service.base_url}/companion/v1/posts", params=query)
    assert refused.status_code == 400
    assert field in {issue["field"] for issue in envelope(refused).error.details["errors"]}


@sqlite_alone("PostgreSQL explains itself in other words")
def test_a_page_is_read_from_the_index(service: RunningService) -> None:
    page = "account_id = 'a' AND scheduled_at >= 1 AND scheduled_at < 2 AND (scheduled_at, id) > (1, 'b')"
    rest = "ORDER BY scheduled_at, id LIMIT 101"
    plan = f"EXPLAIN QUERY PLAN SELECT * FROM posts WHERE {page} {rest}"  # noqa: S608  nothing from outside
    steps = service.database.read_now(lambda rows: [row.detail for row in rows.execute(text(plan))])
    assert len(steps) == 1
    assert "USING INDEX ix_posts_calendar" in steps[0]
