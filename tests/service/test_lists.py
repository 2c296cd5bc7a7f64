"""Pages: every row once, whatever else happens."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.service.store.tables import posts
from tests.service.running import Caller
from tests.service.test_envelope import fields

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def insert(caller: Caller, connection_id: str, moments: list[int]) -> set[str]:
    """Stores posts created so many milliseconds after noon; gives their ids."""
    values = [
        {
            "id": uuid4(),
            "account_id": caller.account_id,
            "connection_id": UUID(connection_id),
            "platform": "linkedin",
            "post_type": "text",
            "status": "scheduled",
            "description": "Hello",
            "scheduled_at": NOON,
            "created_via": "rest",
            "created_at": NOON + timedelta(milliseconds=moment),
        }
        for moment in moments
    ]
    if values:
        caller.service.database.write_now(lambda rows: rows.execute(posts.insert(), values))
    return {str(value["id"]) for value in values}


def pages(caller: Caller, limit: int) -> Iterator[list[dict[str, Any]]]:
    cursor: str | None = ""
    while cursor is not None:
        page = caller.http.get("/posts", params={"limit": limit, "cursor": cursor}).json()
        cursor = page["next_cursor"]
        yield page["data"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    first=st.lists(st.integers(0, 3), max_size=12),
    meanwhile=st.lists(st.integers(0, 4), max_size=4),
    limit=st.integers(1, 5),
)
def test_pages_hold_everything_once_newest_first_whatever_comes_meanwhile(
    caller: Caller, first: list[int], meanwhile: list[int], limit: int
) -> None:
    reader = caller.service.new_caller()
    account = reader.connect()
    stored = insert(reader, account, first)
    seen: list[dict[str, Any]] = []
    for number, page in enumerate(pages(reader, limit)):
        assert len(page) <= limit
        seen += page
        if number < len(meanwhile):
            insert(reader, account, [meanwhile[number]])

    ids = [post["id"] for post in seen]
    assert len(ids) == len(set(ids))
    assert stored <= set(ids)
    moments = [post["created_at"] for post in seen]
    assert moments == sorted(moments, reverse=True)


def test_the_last_page_says_so_even_when_it_is_full(caller: Caller) -> None:
    account = caller.connect()
    insert(caller, account, [0, 1, 2, 3])

    assert [len(page) for page in pages(caller, 2)] == [2, 2]
    assert len(caller.http.get("/posts").json()["data"]) == 4


def test_the_default_page_has_twenty(caller: Caller) -> None:
    insert(caller, caller.connect(), list(range(21)))

    assert len(caller.http.get("/posts").json()["data"]) == 20


def test_connections_are_paged_alike(caller: Caller) -> None:
    moments = [NOON, NOON, NOON + timedelta(milliseconds=1)]
    stored = {caller.connect(created_at=moment) for moment in moments}

    first = caller.http.get("/connections", params={"limit": 2}).json()
    rest = caller.http.get("/connections", params={"limit": 2, "cursor": first["next_cursor"]}).json()

    assert {one["id"] for one in first["data"] + rest["data"]} == stored
    assert rest["next_cursor"] is None


def test_a_cursor_belongs_to_its_list_and_to_nobody_who_changed_it(caller: Caller) -> None:
    insert(caller, caller.connect(), [0, 1])
    cursor = caller.http.get("/posts", params={"limit": 1}).json()["next_cursor"]
    flipped = ("A" if cursor[0] != "A" else "B") + cursor[1:]

    assert fields(caller.http.get("/connections", params={"cursor": cursor})) == {"cursor": "cursor"}
    for changed in (cursor[1:], cursor + "x", flipped, cursor.swapcase()):
        assert fields(caller.http.get("/posts", params={"cursor": changed})) == {"cursor": "cursor"}
