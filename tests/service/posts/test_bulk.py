"""Many posts in one call: each stands or falls alone."""

import gc
import hashlib
import json
import weakref
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.contract.posts import BulkCreateResult, CreatePost, Post
from app.service.clock import system_clock
from app.service.posts.creating import BulkCreation
from app.service.store.tables import idempotency_keys
from tests.service.running import Caller, RunningService, in_hours
from tests.service.test_envelope import envelope, fields


def bulk(caller: Caller, *items: Any) -> dict[str, Any]:
    """The result of a bulk call that must be processed."""
    answer = caller.http.post("/posts/bulk", json={"posts": items})
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    assert set(result) == set(BulkCreateResult.model_fields)
    assert result["success"] is True
    assert result["total"] == len(items)
    assert result["inserted"] + result["duplicates"] + len(result["rejected"]) == len(items)
    assert result["inserted"] == len(result["posts"])
    return result


def listed(caller: Caller, **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.http.get("/posts", params={"limit": 100, **query}).json()["data"]
    return found


def test_all_posts_share_a_batch_of_the_services_own(caller: Caller) -> None:
    account = caller.connect()
    items = [caller.post_body(account, description=f"Part {n}", batch_id="mine") for n in range(3)]

    result = bulk(caller, *items)

    assert str(UUID(result["batch_id"])) == result["batch_id"]
    assert [post["description"] for post in result["posts"]] == ["Part 0", "Part 1", "Part 2"]
    for post in result["posts"]:
        assert set(post) == set(Post.model_fields)
        assert (post["batch_id"], post["status"]) == (result["batch_id"], "scheduled")
        assert caller.http.get(f"/posts/{post['id']}").json() == post
    assert {post["id"] for post in listed(caller, batch_id=result["batch_id"])} == {
        post["id"] for post in result["posts"]
    }
    assert listed(caller, batch_id="mine") == []


def test_items_without_a_key_get_one_of_batch_and_index(caller: Caller) -> None:
    items = [caller.post_body(caller.connect(), description=f"Part {n}") for n in range(2)]
    result = bulk(caller, *items)

    again = caller.http.post("/posts", json={**items[1], "idempotency_key": f"{result['batch_id']}:1"})

    assert (again.status_code, again.json()) == (200, result["posts"][1])


def test_the_same_call_again_without_keys_is_a_new_batch(caller: Caller) -> None:
    item = caller.post_body(caller.connect())

    first, second = bulk(caller, item), bulk(caller, item)

    assert first["batch_id"] != second["batch_id"]
    assert (first["inserted"], second["inserted"]) == (1, 1)


def test_the_same_call_again_with_own_keys_stores_nothing(caller: Caller) -> None:
    account = caller.connect()
    items = [caller.post_body(account, idempotency_key=f"own-{n}") for n in range(3)]
    bulk(caller, *items)

    again = bulk(caller, *items)

    assert (again["inserted"], again["duplicates"], again["rejected"]) == (0, 3, [])
    assert len(listed(caller)) == 3


def test_a_key_that_a_single_call_used_counts_as_duplicate(caller: Caller) -> None:
    body = caller.post_body(caller.connect(), idempotency_key="once")
    assert caller.http.post("/posts", json=body).status_code == 201

    assert bulk(caller, body)["duplicates"] == 1


def test_an_item_may_be_repeated_alone_with_its_batch_and_key(caller: Caller) -> None:
    item = caller.post_body(caller.connect())
    [post] = bulk(caller, item)["posts"]
    again = {**item, "batch_id": post["batch_id"], "idempotency_key": f"{post['batch_id']}:0"}

    answer = caller.http.post("/posts", json=again)

    assert (answer.status_code, answer.headers["Idempotent-Replay"]) == (200, "true")
    assert answer.json() == post
    later = {**again, "scheduled_at": in_hours(5)}
    assert fields(caller.http.post("/posts", json=later)) == {"idempotency_key": "idempotency_conflict"}


def test_a_key_that_an_older_version_stored_with_the_batch_is_replayed(
    service: RunningService, caller: Caller
) -> None:
    body = caller.post_body(caller.connect(), batch_id="spring", idempotency_key="first")
    post = caller.http.post("/posts", json=body).json()
    read = CreatePost.model_validate_json(json.dumps(body))
    older = hashlib.sha256(read.model_dump_json(exclude={"idempotency_key"}).encode()).hexdigest()
    service.database.write_now(
        lambda rows: rows.execute(
            idempotency_keys.update()
            .where(idempotency_keys.c.account_id == caller.account_id)
            .values(request_hash=older)
        )
    )

    assert caller.http.post("/posts", json=body).json() == post


def test_a_key_twice_in_one_call_is_a_duplicate_or_a_conflict(caller: Caller) -> None:
    body = caller.post_body(caller.connect(), idempotency_key="once")

    result = bulk(caller, body, body, {**body, "title": "Other"})

    assert (result["inserted"], result["duplicates"]) == (1, 1)
    [refused] = result["rejected"]
    assert refused["index"] == 2
    assert [(one["field"], one["type"]) for one in refused["details"]["errors"]] == [
        ("posts.2.idempotency_key", "idempotency_conflict")
    ]


def test_what_is_wrong_is_named_by_its_place_and_the_rest_is_stored(
    service: RunningService, caller: Caller
) -> None:
    account, stranger = caller.connect(), service.new_caller()
    good = caller.post_body(account)
    foreign_file = {"post_type": "image", "media_storage_path": f"{stranger.account_id}/cat-00000000.png"}
    items = [
        good,
        {**good, "scheduled_at": "2020-01-01T00:00:00Z"},
        {},
        {**good, "social_account_id": stranger.connect()},
        {**good, **foreign_file},
        {**good, "social_account_id": str(uuid4())},
        {**good, "title": "x" * 501, "social_account_id": 5},
        {**good, "description": "last"},
    ]

    result = bulk(caller, *items)

    assert [post["description"] for post in result["posts"]] == ["Hello", "last"]
    refused = {one["index"]: one for one in result["rejected"]}
    assert [set(one) for one in refused.values()] == [{"index", "code", "message", "details"}] * 6
    assert {index: one["code"] for index, one in refused.items()} == {
        1: "validation_error",
        2: "validation_error",
        3: "not_found",
        4: "forbidden",
        5: "not_found",
        6: "validation_error",
    }
    assert refused[1]["details"]["errors"] == [
        {"field": "posts.1.scheduled_at", "message": "must be in the future", "type": "time_past"}
    ]
    assert refused[1]["message"].startswith("posts.1.scheduled_at: ")
    assert {one["field"] for one in refused[2]["details"]["errors"]} == {
        f"posts.2.{name}" for name in ("social_account_id", "platform", "post_type", "description")
    }
    assert {one["field"] for one in refused[6]["details"]["errors"]} == {
        "posts.6.title",
        "posts.6.social_account_id",
    }


def test_a_call_whose_items_are_all_refused_was_processed_all_the_same(caller: Caller) -> None:
    result = bulk(caller, {}, {})

    assert (result["inserted"], len(result["rejected"]), result["posts"]) == (0, 2, [])
    assert listed(caller) == []


def test_items_without_a_time_are_published_at_once(caller: Caller) -> None:
    body = caller.post_body(caller.connect())
    del body["scheduled_at"]

    [post] = bulk(caller, body)["posts"]

    assert (post["status"], post["scheduled_at"]) == ("queued", post["created_at"])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "posts"),
        ({"posts": []}, "posts"),
        ({"posts": [{}] * 31}, "posts"),
        ({"posts": {}}, "posts"),
        ({"posts": None}, "posts"),
        ({"posts": [{}, 5]}, "posts.1"),
        ([], ""),
    ],
)
def test_a_call_that_is_no_list_of_objects_is_refused_whole(caller: Caller, body: Any, field: str) -> None:
    assert set(fields(caller.http.post("/posts/bulk", json=body))) == {field}


def test_the_longest_call_fits_with_every_character_escaped(caller: Caller) -> None:
    account = caller.connect("facebook")
    item = caller.post_body(account, platform="facebook", description="👩" * 10_000, title="👩" * 500)

    body = json.dumps({"posts": [item] * 30}, ensure_ascii=True).encode()
    assert len(body) > 3 * 1024 * 1024
    answer = caller.http.post("/posts/bulk", content=body)

    assert answer.json()["inserted"] == 30


def test_a_body_beyond_that_is_refused(caller: Caller) -> None:
    answer = caller.http.post("/posts/bulk", content=b" " * (4 * 1024 * 1024 + 1))

    assert fields(answer) == {"": "body_too_long"}


def test_one_call_counts_once(caller: Caller) -> None:
    account = caller.connect()
    bulk(caller, *[caller.post_body(account)] * 5)

    assert caller.http.get("/usage").json()["actions"] == {"rest.posts.bulk": 1, "rest.usage.get": 1}


def test_deleting_one_says_how_many_of_the_batch_remain(caller: Caller) -> None:
    result = bulk(caller, *[caller.post_body(caller.connect())] * 3)

    deleted = caller.http.delete(f"/posts/{result['posts'][0]['id']}").json()

    assert deleted["details"] == {"batch_id": result["batch_id"], "remaining": 2}


def test_others_see_nothing_of_it(service: RunningService, caller: Caller) -> None:
    result = bulk(caller, caller.post_body(caller.connect(), scheduled_at=in_hours(2)))
    stranger = service.new_caller()

    assert listed(stranger, batch_id=result["batch_id"]) == []
    answer = stranger.http.get(f"/posts/{result['posts'][0]['id']}")
    assert envelope(answer).error.code == "not_found"


def test_a_batch_leaves_nothing_to_the_garbage_collector(caller: Caller) -> None:
    """Its posts may be 4 MB, and the service's collector runs rarely."""
    database = caller.service.database
    items = [caller.post_body(str(uuid4())), {}, caller.post_body(caller.connect(), post_type="image")]
    gc.disable()
    try:
        creation = BulkCreation(caller.account_id, items, system_clock(), {})
        database.read_now(creation.check_accounts)
        creation.check_texts()
        assert len(database.write_now(creation.store).rejected) == len(items)
        left = weakref.ref(creation)
        del creation
        assert left() is None
    finally:
        gc.enable()
