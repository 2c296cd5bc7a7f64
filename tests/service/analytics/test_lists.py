"""Samples as the API lists them: by day, newest first."""

from datetime import date, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.contract.analytics import Metric
from app.contract.posts import PostMetric
from app.service.store.tables import metrics
from tests.service.contents import publish
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import envelope, fields
from tests.stores import sqlite_alone

NUMBERS = {"views": 412, "likes": 38, "comments": 5, "shares": 9, "subscribers": 1840}


def today(caller: Caller) -> date:
    return caller.service.clock().date()


def sample(caller: Caller, connection_id: str, content_id: str, day: date, **columns: Any) -> str:
    """Stores a sample; gives its id."""
    row = {
        "id": uuid4(),
        "account_id": caller.account_id,
        "connection_id": UUID(connection_id),
        "platform": "linkedin",
        "content_id": content_id,
        "metric_date": day,
        "created_at": caller.service.clock(),
        **NUMBERS,
        **columns,
    }
    caller.service.database.write_now(lambda rows: rows.execute(metrics.insert().values(row)))
    return str(row["id"])


def listed(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    answer = caller.http.get("/analytics", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


def test_a_row_is_the_contracts(caller: Caller) -> None:
    row_id = sample(caller, caller.connect(), "urn:li:share:1", today(caller))

    [row] = listed(caller)

    assert list(row) == list(Metric.model_fields)
    assert row["created_at"].endswith("Z")
    del row["created_at"]
    assert row == {
        "id": row_id,
        "platform": "linkedin",
        "content_id": "urn:li:share:1",
        "metric_date": today(caller).isoformat(),
        **NUMBERS,
    }


@pytest.mark.parametrize(("query", "ages"), [({}, 30), ({"days": 1}, 1), ({"days": 90}, 90)])
def test_days_count_back_from_today(caller: Caller, query: dict[str, int], ages: int) -> None:
    account = caller.connect()
    for age in (0, 1, 29, 30, 89, 90):
        sample(caller, account, "item", today(caller) - timedelta(days=age))

    found = {(today(caller) - date.fromisoformat(row["metric_date"])).days for row in listed(caller, **query)}

    assert found == {age for age in (0, 1, 29, 30, 89, 90) if age < ages}


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_run_by_day_and_hold_every_row_once(caller: Caller, limit: int) -> None:
    account = caller.connect()
    stored = {
        sample(caller, account, f"item-{item}", today(caller) - timedelta(days=age))
        for item in range(3)
        for age in range(3)
    }

    rows: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = caller.http.get("/analytics", params={"limit": limit, "cursor": cursor}).json()
        assert len(page["data"]) <= limit
        rows += page["data"]
        cursor = page["next_cursor"]

    assert len(rows) == len(stored)
    assert {row["id"] for row in rows} == stored
    days = [row["metric_date"] for row in rows]
    assert days == sorted(days, reverse=True)


def test_a_cursor_of_another_list_is_none_here(caller: Caller) -> None:
    account = caller.connect()
    for _ in range(2):
        caller.create(account)
    cursor = caller.http.get("/posts", params={"limit": 1}).json()["next_cursor"]

    assert fields(caller.http.get("/analytics", params={"cursor": cursor})) == {"cursor": "cursor"}


def test_filters_narrow_the_list(caller: Caller) -> None:
    sample(caller, caller.connect(), "one", today(caller))
    sample(caller, caller.connect("x"), "two", today(caller), platform="x")

    assert [row["content_id"] for row in listed(caller, platform="x")] == ["two"]
    assert [row["content_id"] for row in listed(caller, content_id="one")] == ["one"]
    assert listed(caller, content_id="one", platform="x") == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("days=0", "days"),
        ("days=91", "days"),
        ("days=1.5", "days"),
        ("platform=threads", "platform"),
        ("limit=101", "limit"),
        ("content_id=%00", "content_id"),
    ],
)
def test_a_bad_query_is_refused(caller: Caller, query: str, field: str) -> None:
    assert set(fields(caller.http.get(f"/analytics?{query}"))) == {field}


def test_a_post_shows_its_samples_newest_first(caller: Caller) -> None:
    account = caller.connect()
    post = caller.create(account)
    publish(caller, account, "mine", post_id=UUID(post["id"]))
    for age in (3, 0, 200):
        sample(caller, account, "mine", today(caller) - timedelta(days=age), views=age)
    sample(caller, account, "another", today(caller))

    answer = caller.http.get(f"/posts/{post['id']}/analytics")

    assert answer.status_code == 200
    result = answer.json()
    assert list(result) == ["post_id", "content_id", "metrics"]
    assert (result["post_id"], result["content_id"]) == (post["id"], "mine")
    assert [row["views"] for row in result["metrics"]] == [0, 3, 200]
    assert [set(row) for row in result["metrics"]] == [set(PostMetric.model_fields)] * 3
    assert result["metrics"][0]["metric_date"] == today(caller).isoformat()


def test_a_published_post_without_samples_has_none(caller: Caller) -> None:
    account = caller.connect()
    post = caller.create(account)
    publish(caller, account, "mine", post_id=UUID(post["id"]))

    result = caller.http.get(f"/posts/{post['id']}/analytics").json()

    assert result == {"post_id": post["id"], "content_id": "mine", "metrics": []}


def test_without_published_content_there_is_nothing(caller: Caller) -> None:
    post = caller.create(caller.connect())

    for post_id in (post["id"], str(uuid4()), "nonsense"):
        answer = caller.http.get(f"/posts/{post_id}/analytics")
        assert (answer.status_code, envelope(answer).error.code) == (404, "not_found")


def test_others_see_nothing_of_it(service: RunningService, caller: Caller) -> None:
    account = caller.connect()
    post = caller.create(account)
    publish(caller, account, "mine", post_id=UUID(post["id"]))
    sample(caller, account, "mine", today(caller))
    stranger = service.new_caller()

    assert listed(stranger) == listed(stranger, content_id="mine") == []
    assert stranger.http.get(f"/posts/{post['id']}/analytics").status_code == 404


@sqlite_alone("PostgreSQL explains itself in other words")
@pytest.mark.parametrize(
    ("condition", "index"),
    [
        ("account_id = ''", "ix_metrics_page"),
        ("account_id = '' AND content_id = ''", "ix_metrics_content_page"),
    ],
)
def test_a_list_is_one_search_on_an_index(service: RunningService, condition: str, index: str) -> None:
    sql = (
        f"EXPLAIN QUERY PLAN SELECT * FROM metrics WHERE {condition} AND metric_date > ''"  # noqa: S608
        " AND (metric_date, id) < ('', '') ORDER BY metric_date DESC, id DESC LIMIT 21"
    )
    [step] = service.database.read_now(lambda rows: rows.exec_driver_sql(sql).all())
    assert f"USING INDEX {index}" in step.detail
