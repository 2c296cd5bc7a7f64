"""Moving and deleting posts, in every state that they can be in."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.service.store.tables import attempts, posts
from tests.service.running import Caller, in_hours
from tests.service.test_envelope import envelope, fields

STATES = ("scheduled", "queued", "processing", "posted", "failed", "cancelled")


@pytest.fixture
def post(caller: Caller) -> dict[str, Any]:
    return caller.create(caller.connect())


def put(caller: Caller, post: dict[str, Any], **columns: Any) -> None:
    """Puts a row into a state, as the publishing engine would."""
    caller.service.database.write_now(
        lambda rows: rows.execute(posts.update().where(posts.c.id == UUID(post["id"])).values(columns))
    )


def row(caller: Caller, post: dict[str, Any]) -> Any:
    return caller.service.database.read_now(
        lambda rows: rows.execute(posts.select().where(posts.c.id == UUID(post["id"]))).one_or_none()
    )


def add_attempt(caller: Caller, post: dict[str, Any], outcome: str, **columns: Any) -> None:
    values = {
        "id": uuid4(),
        "post_id": UUID(post["id"]),
        "account_id": caller.account_id,
        "step": "publish",
        "outcome": outcome,
        "started_at": caller.service.clock(),
        **columns,
    }
    caller.service.database.write_now(lambda rows: rows.execute(attempts.insert().values(values)))


def move(caller: Caller, post: dict[str, Any], at: Any) -> Any:
    return caller.http.patch(f"/posts/{post['id']}", json={"scheduled_at": at})


def test_a_planned_post_moves_and_its_claim_is_taken_back(caller: Caller, post: dict[str, Any]) -> None:
    put(caller, post, claimed_by=uuid4(), claimed_until=caller.service.clock() + timedelta(minutes=1))

    moved = move(caller, post, "2031-03-01T12:00:00+02:00").json()

    assert moved == {**post, "scheduled_at": "2031-03-01T10:00:00.000Z"}
    assert (row(caller, post).claimed_by, row(caller, post).claimed_until) == (None, None)


def test_a_cancelled_post_is_resumed(caller: Caller, post: dict[str, Any]) -> None:
    caller.http.delete(f"/posts/{post['id']}")

    moved = move(caller, post, in_hours(5))

    assert moved.json()["status"] == "scheduled"


@pytest.mark.parametrize("state", ["queued", "processing", "posted", "failed"])
def test_what_is_under_way_or_over_does_not_move(caller: Caller, post: dict[str, Any], state: str) -> None:
    put(caller, post, status=state)
    before = row(caller, post)

    answer = move(caller, post, in_hours(5))

    assert fields(answer) == {"scheduled_at": "not_movable"}
    assert row(caller, post) == before


def test_what_was_published_is_never_published_again(caller: Caller, post: dict[str, Any]) -> None:
    put(caller, post, status="posted", posted_at=caller.service.clock())
    assert caller.http.delete(f"/posts/{post['id']}").json()["action"] == "cancelled"

    answer = move(caller, post, in_hours(5))

    assert fields(answer) == {"scheduled_at": "not_movable"}
    assert "published already" in envelope(answer).error.message
    assert row(caller, post).status == "cancelled"


@pytest.mark.parametrize("outcome", ["pending", "unknown"])
def test_what_may_be_live_is_not_resumed(caller: Caller, post: dict[str, Any], outcome: str) -> None:
    put(caller, post, status="cancelled")
    add_attempt(caller, post, outcome)

    assert "may be live" in envelope(move(caller, post, in_hours(5))).error.message
    assert row(caller, post).status == "cancelled"


def test_what_was_refused_for_certain_is_resumed(caller: Caller, post: dict[str, Any]) -> None:
    put(caller, post, status="cancelled")
    add_attempt(caller, post, "transient", finished_at=caller.service.clock())

    assert move(caller, post, in_hours(5)).status_code == 200


@pytest.mark.parametrize("at", ["2020-01-01T00:00:00Z", None, "later", 5])
def test_the_new_time_must_be_a_future_one(caller: Caller, post: dict[str, Any], at: Any) -> None:
    assert set(fields(move(caller, post, at))) == {"scheduled_at"}
    assert row(caller, post).status == "scheduled"


def test_the_time_is_required(caller: Caller, post: dict[str, Any]) -> None:
    assert fields(caller.http.patch(f"/posts/{post['id']}", json={"title": "x"})) == {
        "scheduled_at": "missing"
    }


@pytest.mark.parametrize("state", STATES)
def test_a_soft_delete_keeps_the_row_in_every_state(caller: Caller, post: dict[str, Any], state: str) -> None:
    put(caller, post, status=state)

    answer = caller.http.delete(f"/posts/{post['id']}")

    assert answer.json() == {"id": post["id"], "action": "cancelled", "details": None}
    assert caller.http.get(f"/posts/{post['id']}").json()["status"] == "cancelled"


@pytest.mark.parametrize("state", STATES)
def test_a_hard_delete_removes_the_row_in_every_state(
    caller: Caller, post: dict[str, Any], state: str
) -> None:
    put(caller, post, status=state)
    add_attempt(caller, post, "pending")

    answer = caller.http.delete(f"/posts/{post['id']}", params={"hard": "true"})

    assert answer.json() == {"id": post["id"], "action": "deleted", "details": None}
    assert caller.http.get(f"/posts/{post['id']}").status_code == 404
    assert caller.http.delete(f"/posts/{post['id']}").status_code == 404
    assert caller.service.database.read_now(
        lambda rows: rows.execute(attempts.select().where(attempts.c.post_id == UUID(post["id"]))).all()
    )


@pytest.mark.parametrize(
    ("state", "keeps_claim"),
    [("scheduled", False), ("queued", False), ("processing", True), ("cancelled", True)],
)
def test_cancelling_takes_a_claim_back_unless_an_attempt_is_in_flight(
    caller: Caller, post: dict[str, Any], state: str, keeps_claim: bool
) -> None:
    owner = uuid4()
    put(caller, post, status=state, claimed_by=owner, claimed_until=caller.service.clock())

    caller.http.delete(f"/posts/{post['id']}")

    assert row(caller, post).claimed_by == (owner if keeps_claim else None)


def test_deleting_again_changes_nothing_until_it_is_for_good(caller: Caller, post: dict[str, Any]) -> None:
    path, hard = f"/posts/{post['id']}", {"hard": "true"}

    answers = [caller.http.delete(path, params=query) for query in ({}, {}, hard, hard, {})]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 404, 404]
    assert [answer.json()["action"] for answer in answers[:3]] == ["cancelled", "cancelled", "deleted"]


def test_a_hard_value_that_is_no_boolean_deletes_nothing(caller: Caller, post: dict[str, Any]) -> None:
    assert set(fields(caller.http.delete(f"/posts/{post['id']}", params={"hard": "maybe"}))) == {"hard"}
    assert row(caller, post).status == "scheduled"


def test_deleting_out_of_a_batch_says_what_remains(caller: Caller) -> None:
    account = caller.connect()
    first, second, _ = [caller.create(account, batch_id="spring") for _ in range(3)]

    soft = caller.http.delete(f"/posts/{first['id']}").json()
    hard = caller.http.delete(f"/posts/{second['id']}", params={"hard": "true"}).json()

    assert soft["details"] == {"batch_id": "spring", "remaining": 2}
    assert hard["details"] == {"batch_id": "spring", "remaining": 1}
