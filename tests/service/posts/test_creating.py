"""Creating and reading posts."""

import concurrent.futures
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Table

from app.contract.base import format_timestamp
from app.contract.enums import ErrorCode, PostingPlatform, PostType
from app.contract.posts import CreatePost, Post
from app.database import DatabaseError
from app.service.api.responses import ApiError
from app.service.posts import creating
from app.service.posts.creating import Creation
from app.service.store.tables import connection_flows, events, idempotency_keys, posts
from tests.service.running import Caller, RunningService, in_hours
from tests.service.test_envelope import envelope, fields
from tests.stores import sqlite_alone


def test_a_planned_post_comes_back_as_the_contract_has_it(caller: Caller) -> None:
    account = caller.connect()
    at = datetime(2031, 5, 1, 9, 30, 0, 123_456, tzinfo=UTC).astimezone()

    answer = caller.http.post(
        "/posts", json=caller.post_body(account, scheduled_at=at.isoformat(), batch_id="spring")
    )

    assert answer.status_code == 201
    assert "Idempotent-Replay" not in answer.headers
    post = answer.json()
    assert set(post) == set(Post.model_fields)
    assert post["scheduled_at"] == "2031-05-01T09:30:00.123Z"
    assert (post["status"], post["posted_at"], post["title"]) == ("scheduled", None, None)
    assert (post["social_account_id"], post["media_storage_path"]) == (account, "")
    assert caller.http.get(f"/posts/{post['id']}").json() == post
    assert caller.http.get(f"/posts/{post['id'].upper()}").json() == post
    assert caller.http.get("/posts").json() == {"data": [post], "next_cursor": None}


def test_without_a_time_it_is_published_at_once(caller: Caller) -> None:
    body = caller.post_body(caller.connect())
    del body["scheduled_at"]
    before = caller.service.clock()

    post = Post.model_validate(caller.http.post("/posts", json=body).json())

    assert post.status == "queued"
    assert before <= post.scheduled_at <= caller.service.clock()
    assert post.scheduled_at == post.created_at


def test_all_that_was_sent_is_stored(caller: Caller) -> None:
    sent = {
        "title": "Spring",
        "description": "Hello",
        "batch_id": "spring",
        "pinterest_board_id": "7",
        "pinterest_board_name": "Kitchens",
        "pinterest_link": "https://shop.example/tiles",
    }
    account = caller.connect()
    created = Post.model_validate(caller.create(account, **sent))

    [row] = stored(caller, posts)
    found = row._mapping
    assert {name: found[name] for name in sent} == sent
    assert (found["id"], found["connection_id"]) == (created.id, UUID(account))
    assert (found["platform"], found["post_type"], found["status"]) == ("linkedin", "text", "scheduled")
    assert (found["scheduled_at"], found["created_at"]) == (created.scheduled_at, created.created_at)
    assert (found["created_via"], found["tiktok"], found["posted_at"]) == ("rest", None, None)


def test_only_a_scheduled_post_records_an_event(caller: Caller) -> None:
    account = caller.connect()
    body = caller.post_body(account)
    del body["scheduled_at"]
    assert caller.http.post("/posts", json=body).status_code == 201
    planned = caller.create(account, batch_id="spring")

    [written] = stored(caller, events)
    assert (written.type, written.account_id) == ("post.scheduled", caller.account_id)
    assert json.loads(written.data) == {
        "post_id": planned["id"],
        "platform": "linkedin",
        "social_account_id": account,
        "batch_id": "spring",
    }
    assert format_timestamp(written.created_at) == planned["created_at"]


@pytest.mark.parametrize(("later", "issues"), [(timedelta(), ["time_past"]), (timedelta(milliseconds=1), [])])
def test_a_post_is_planned_for_any_moment_after_now(
    caller: Caller, later: timedelta, issues: list[str]
) -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    sent = caller.post_body(str(uuid4()), scheduled_at=format_timestamp(now + later))
    creation = Creation(caller.account_id, CreatePost.model_validate_json(json.dumps(sent)), now, {})

    assert [issue.type for issue in creation.issues] == issues


@pytest.mark.parametrize(
    ("changed", "issue"),
    [
        ({"platform": "instagram"}, ("post_type", "no_public_address")),
        ({"platform": "facebook"}, None),
        ({"platform": "pinterest"}, ("pinterest_board_id", "missing")),
        ({"platform": "youtube", "post_type": "video", "title": "x" * 101}, ("title", "too_long")),
    ],
    ids=str,
)
def test_the_rules_of_the_platform_get_the_whole_body(
    caller: Caller, changed: dict[str, str], issue: tuple[str, str] | None
) -> None:
    sent = caller.post_body(str(uuid4()), post_type="image", media_storage_path="a/cat.jpg") | changed
    body = CreatePost.model_validate_json(json.dumps(sent))
    unreachable = {PostingPlatform.INSTAGRAM: {PostType.IMAGE}}
    creation = Creation(caller.account_id, body, caller.service.clock(), unreachable)

    assert [(one.field, one.type) for one in creation.issues] == ([] if issue is None else [issue])


def test_an_idempotency_key_is_stored_with_its_post_and_time(caller: Caller) -> None:
    created = Post.model_validate(caller.create(caller.connect(), idempotency_key="once"))

    [key] = stored(caller, idempotency_keys)
    assert (key.idempotency_key, key.post_id, key.created_at) == ("once", created.id, created.created_at)


@pytest.mark.parametrize("at", ["2020-01-01T00:00:00Z", "0001-01-01T00:00:00Z"])
def test_the_past_is_refused(caller: Caller, at: str) -> None:
    answer = caller.http.post("/posts", json=caller.post_body(caller.connect(), scheduled_at=at))

    assert fields(answer) == {"scheduled_at": "time_past"}


@pytest.mark.parametrize(
    ("at", "kind"),
    [
        ("2031-01-01T00:00:00", "timezone_missing"),
        ("2031-01-01", "timestamp"),
        ("tomorrow", "timestamp"),
        (1_900_000_000, "timestamp"),
        ("9999-12-31T23:59:59-01:00", "timestamp"),
        ("2031-13-01T00:00:00Z", "timestamp"),
        ("2031-01-01T10:00:00+99:00", "timestamp"),
        ("9999-12-31T00:00:00Z", "timestamp"),
        ("2031-01-01 10:00:00Z", "timestamp"),
        ("20310101T10:00:00Z", "timestamp"),
        ("2031-01-01T100000Z", "timestamp"),
        ("2031-01-01T10:00:00+1:00", "timestamp"),
        ("2031-01-01T10:00:60Z", "timestamp"),
        ("20310101T100000", "timezone_missing"),
        ("20311301T100000Z", "timestamp"),
        ("2031-01-01T10:00:00.Z", "timestamp"),
        (None, "null_forbidden"),
    ],
)
def test_a_time_needs_its_offset_and_a_form(caller: Caller, at: Any, kind: str) -> None:
    answer = caller.http.post("/posts", json=caller.post_body(caller.connect(), scheduled_at=at))

    assert fields(answer) == {"scheduled_at": kind}


@pytest.mark.parametrize(
    ("at", "kept"),
    [
        ("2031-01-01t10:00:00z", "2031-01-01T10:00:00.000Z"),
        ("2031-01-01T10:00:00.123987654321-05:30", "2031-01-01T15:30:00.123Z"),
        ("2031-01-01T10:00:00.5+01:00", "2031-01-01T09:00:00.500Z"),
        ("9999-12-30T23:59:59-00:00", "9999-12-30T23:59:59.000Z"),
        ("2031-01-01T10:00:00+0100", "2031-01-01T09:00:00.000Z"),  # strftime of many languages
        ("2031-01-01T10:00+01:00", "2031-01-01T09:00:00.000Z"),
        ("2031-01-01T10:00Z", "2031-01-01T10:00:00.000Z"),
        ("2031-01-01T10Z", "2031-01-01T10:00:00.000Z"),
        ("2031-01-01T10:00:00-03", "2031-01-01T13:00:00.000Z"),
        ("2031-01-01T10:00:00,5Z", "2031-01-01T10:00:00.500Z"),
        ("2031-01-01T10:00:00,123987654321Z", "2031-01-01T10:00:00.123Z"),
        ("20310101T100000Z", "2031-01-01T10:00:00.000Z"),
        ("20310101T1000+0100", "2031-01-01T09:00:00.000Z"),
        ("20310101T100000.25Z", "2031-01-01T10:00:00.250Z"),
    ],
)
def test_every_form_of_iso_8601_is_taken_and_kept_to_the_millisecond(
    caller: Caller, at: str, kept: str
) -> None:
    assert caller.create(caller.connect(), scheduled_at=at)["scheduled_at"] == kept


def test_the_account_must_be_ones_own(service: RunningService, caller: Caller) -> None:
    stranger = service.new_caller()
    for account in (stranger.connect(), str(uuid4())):
        answer = caller.http.post("/posts", json=caller.post_body(account))
        assert (answer.status_code, envelope(answer).error.code) == (404, "not_found")


def test_a_pending_account_is_none_yet(caller: Caller) -> None:
    pending = caller.http.post("/connections/initiate", json={"platform": "linkedin"}).json()["connection_id"]

    assert caller.http.post("/posts", json=caller.post_body(pending)).status_code == 404


def test_the_platform_must_be_the_accounts(caller: Caller) -> None:
    answer = caller.http.post("/posts", json=caller.post_body(caller.connect("x")))

    assert fields(answer) == {"platform": "mismatch"}


def test_an_unavailable_account_takes_plans_but_publishes_nothing_at_once(caller: Caller) -> None:
    account = caller.connect(is_available=False)
    assert caller.create(account)["status"] == "scheduled"
    body = caller.post_body(account)
    del body["scheduled_at"]

    assert fields(caller.http.post("/posts", json=body)) == {"social_account_id": "account_unavailable"}


def test_media_of_others_are_forbidden_and_unknown_ones_refused(
    service: RunningService, caller: Caller
) -> None:
    account, stranger = caller.connect(), service.new_caller()
    with_media = {"post_type": "image", "media_storage_path": f"{stranger.account_id}/cat-00000000.png"}
    answer = caller.http.post("/posts", json=caller.post_body(account, **with_media))
    assert (answer.status_code, envelope(answer).error.code) == (403, "forbidden")

    with_media["media_storage_path"] = f"{caller.account_id}/cat-00000000.png"
    unknown = caller.http.post("/posts", json=caller.post_body(account, **with_media))
    assert fields(unknown) == {"media_storage_path": "media_missing"}


def test_an_image_needs_its_file(caller: Caller) -> None:
    answer = caller.http.post("/posts", json=caller.post_body(caller.connect(), post_type="image"))

    assert "media_storage_path" in fields(answer)


def test_a_text_that_is_too_long_for_the_platform_is_refused(caller: Caller) -> None:
    account = caller.connect("x")

    answer = caller.http.post("/posts", json=caller.post_body(account, platform="x", description="x" * 281))

    assert set(fields(answer)) == {"description"}


def test_an_idempotency_key_stores_one_post(caller: Caller) -> None:
    account = caller.connect()
    body = caller.post_body(account, idempotency_key="once", scheduled_at="2031-05-01T10:00:00+02:00")
    first = caller.http.post("/posts", json=body)

    again = caller.http.post("/posts", json={**body, "scheduled_at": "2031-05-01T08:00:00Z"})

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.headers["Idempotent-Replay"] == "true"
    assert again.json() == first.json()
    assert len(caller.http.get("/posts").json()["data"]) == 1


def test_a_replay_is_answered_when_the_time_has_passed_since(caller: Caller) -> None:
    body = caller.post_body(caller.connect(), idempotency_key="late")
    first = caller.http.post("/posts", json=body).json()
    caller.service.clock.ahead = timedelta(days=2)

    assert caller.http.post("/posts", json=body).json() == first


def test_the_same_key_for_other_content_is_refused(caller: Caller) -> None:
    account = caller.connect()
    caller.create(account, idempotency_key="once")

    answer = caller.http.post("/posts", json=caller.post_body(account, idempotency_key="once", title="New"))

    assert fields(answer) == {"idempotency_key": "idempotency_conflict"}


def test_keys_of_two_accounts_have_nothing_to_do_with_each_other(
    service: RunningService, caller: Caller
) -> None:
    other = service.new_caller()

    mine = caller.create(caller.connect(), idempotency_key="once")
    theirs = other.create(other.connect(), idempotency_key="once")

    assert mine["id"] != theirs["id"]


def test_a_late_retry_does_not_bring_a_deleted_post_back(caller: Caller) -> None:
    body = caller.post_body(caller.connect(), idempotency_key="once")
    post_id = caller.http.post("/posts", json=body).json()["id"]
    assert caller.http.delete(f"/posts/{post_id}", params={"hard": "true"}).status_code == 200

    assert fields(caller.http.post("/posts", json=body)) == {"idempotency_key": "idempotency_conflict"}


def test_a_retry_that_fails_for_another_reason_is_no_conflict(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise DatabaseError("The disk is full.")

    sent = caller.post_body(caller.connect(), idempotency_key="once")
    caller.http.post("/posts", json=sent)
    body = CreatePost.model_validate_json(json.dumps(sent))
    creation = Creation(caller.account_id, body, caller.service.clock(), {})
    monkeypatch.setattr(creating, "find_post", fail)

    with pytest.raises(DatabaseError):
        caller.service.database.write_now(creation.store)


def test_many_at_once_with_one_key_store_one_post(caller: Caller) -> None:
    body = caller.post_body(caller.connect(), idempotency_key="storm")

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: caller.http.post("/posts", json=body), range(24)))

    assert sorted(answer.status_code for answer in answers) == [200] * 23 + [201]
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_a_refused_post_uses_no_key_up(caller: Caller) -> None:
    account = caller.connect()
    bad = caller.post_body(account, idempotency_key="k", scheduled_at="2020-01-01T00:00:00Z")
    assert caller.http.post("/posts", json=bad).status_code == 400

    assert caller.create(account, idempotency_key="k")


def test_any_text_survives(caller: Caller) -> None:
    text = "Zoë 👩‍👩‍👧‍👦 \u202eרשת\n\t'; DROP TABLE posts; --"

    post = caller.create(caller.connect(), description=text, title=text)

    assert caller.http.get(f"/posts/{post['id']}").json()["description"] == text


def test_others_see_nothing_of_it(service: RunningService, caller: Caller) -> None:
    post = caller.create(caller.connect())
    stranger = service.new_caller()

    assert stranger.http.get("/posts").json()["data"] == []
    for method in ("GET", "DELETE"):
        assert stranger.http.request(method, f"/posts/{post['id']}").status_code == 404
    moved = stranger.http.patch(f"/posts/{post['id']}", json={"scheduled_at": in_hours(3)})
    assert moved.status_code == 404
    assert caller.http.get(f"/posts/{post['id']}").json() == post


def test_filters_narrow_the_list(caller: Caller) -> None:
    linkedin, x = caller.connect(), caller.connect("x")
    first = caller.create(linkedin, batch_id="a")
    second = caller.create(x, platform="x", batch_id="a")
    third = caller.create(linkedin, batch_id="b")
    caller.http.delete(f"/posts/{third['id']}")

    def ids(**query: str) -> set[str]:
        return {post["id"] for post in caller.http.get("/posts", params=query).json()["data"]}

    assert ids(batch_id="a") == {first["id"], second["id"]}
    assert ids(platform="x") == {second["id"]}
    assert ids(status="cancelled") == {third["id"]}
    assert ids(status="scheduled", platform="linkedin", batch_id="a") == {first["id"]}
    assert ids(batch_id="c") == set()


@sqlite_alone("PostgreSQL explains itself in other words")
def test_the_list_is_one_search_on_an_index(service: RunningService) -> None:
    queries = {
        "account_id = :a": "ix_posts_page",
        "account_id = :a AND status = :s": "ix_posts_status_page",
        "account_id = :a AND batch_id = :b": "ix_posts_batch_page",
    }
    for condition, index in queries.items():
        [step] = explain(service, condition)
        assert f"USING INDEX {index}" in step.detail


def explain(service: RunningService, condition: str) -> Sequence[Any]:
    sql = (
        f"EXPLAIN QUERY PLAN SELECT * FROM posts WHERE {condition}"  # noqa: S608
        " AND (created_at, id) < (:t, :i) ORDER BY created_at DESC, id DESC LIMIT 21"
    )
    values = {"a": "", "s": "", "b": "", "t": 0, "i": ""}
    return service.database.read_now(lambda rows: rows.exec_driver_sql(sql, values).all())


def test_nothing_is_stored_of_what_was_refused(caller: Caller) -> None:
    caller.http.post("/posts", json=caller.post_body(str(uuid4())))
    caller.http.post("/connections/initiate", json={"platform": "facebook"})

    for table in (posts, connection_flows):
        assert stored(caller, table) == []


def stored(caller: Caller, table: Table) -> Sequence[Any]:
    mine = table.select().where(table.c.account_id == caller.account_id)
    return caller.service.database.read_now(lambda rows: rows.execute(mine).all())


def test_an_account_is_looked_up_before_a_text_is_checked(caller: Caller) -> None:
    """Checking takes longer than looking, and anybody can name an account that isn't there."""
    service = caller.service
    body = CreatePost.model_validate_json(json.dumps(caller.post_body(str(uuid4()))))
    creation = Creation(caller.account_id, body, service.clock(), {})

    with pytest.raises(ApiError) as caught:
        service.database.read_now(creation.check_account)

    assert caught.value.code is ErrorCode.NOT_FOUND
    assert "issues" not in vars(creation)
