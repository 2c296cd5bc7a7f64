"""The content history: what was published, newest first."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from app.contract.base import format_timestamp
from app.contract.history import ContentRecord
from tests.service.contents import publish
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import fields


def history(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    answer = caller.http.get("/content-history", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


def test_a_record_says_what_went_where(caller: Caller) -> None:
    account = caller.connect()
    post = caller.create(account, title="Wool", batch_id="autumn")
    at = caller.service.clock()
    record = publish(
        caller,
        account,
        post_id=UUID(post["id"]),
        title="Wool",
        description="Three weights",
        batch_id="autumn",
        created_at=at,
    )

    [found] = history(caller)

    assert list(found) == list(ContentRecord.model_fields)
    assert found == {
        "id": record,
        "platform": "linkedin",
        "content_id": "urn:li:share:1",
        "scheduled_post_id": post["id"],
        "title": "Wool",
        "description": "Three weights",
        "media_url": None,
        "media_type": "text",
        "status": "published",
        "batch_id": "autumn",
        "created_via": "rest",
        "created_at": format_timestamp(at),
    }


def test_a_post_that_was_removed_is_still_named(caller: Caller) -> None:
    account = caller.connect()
    post = caller.create(account)
    publish(caller, account, post_id=UUID(post["id"]))
    publish(caller, account, "urn:li:share:2", post_id=None)
    caller.http.delete(f"/posts/{post['id']}", params={"hard": "true"})

    assert {one["content_id"]: one["scheduled_post_id"] for one in history(caller)} == {
        "urn:li:share:1": post["id"],
        "urn:li:share:2": None,
    }


def test_newest_first_page_by_page(caller: Caller) -> None:
    account, now = caller.connect(), caller.service.clock()
    for number in range(5):
        publish(caller, account, f"item-{number}", created_at=now + timedelta(milliseconds=number // 2))

    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = caller.http.get("/content-history", params={"limit": 2, "cursor": cursor}).json()
        seen += [one["content_id"] for one in page["data"]]
        cursor = page["next_cursor"]

    assert sorted(seen) == [f"item-{number}" for number in range(5)]
    assert seen[0] == "item-4"
    assert set(seen[3:]) == {"item-0", "item-1"}


def test_the_platform_may_be_any_of_the_eight(caller: Caller) -> None:
    publish(caller, caller.connect(), "one")
    publish(caller, caller.connect("threads"), "two", platform="threads")

    assert [one["content_id"] for one in history(caller, platform="threads")] == ["two"]
    assert [one["content_id"] for one in history(caller, platform="linkedin")] == ["one"]
    assert history(caller, platform="youtube") == []
    assert len(history(caller)) == 2


@pytest.mark.parametrize(
    ("query", "field"), [("platform=myspace", "platform"), ("limit=0", "limit"), ("cursor=x", "cursor")]
)
def test_a_bad_query_is_refused(caller: Caller, query: str, field: str) -> None:
    assert set(fields(caller.http.get(f"/content-history?{query}"))) == {field}


def test_others_see_nothing_of_it(service: RunningService, caller: Caller) -> None:
    publish(caller, caller.connect())

    assert history(service.new_caller()) == []
    assert caller.http.get("/usage").json()["actions"] == {"rest.usage.get": 1}
