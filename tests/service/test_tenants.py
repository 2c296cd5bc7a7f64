"""Another account's key sees nothing: every endpoint of the description, every id, generated."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import Connection, insert

from app.service.openapi.document import Operation
from app.service.openapi.examples import example_of
from app.service.store import tables
from tests.service.running import Caller, RunningService, in_hours
from tests.service.test_bad_input import EVERY

# Parameters that name what belongs to nobody.
PUBLIC = {"platform", "name"}
# Streams do not end; their own tests show that they carry nothing of others.
STREAMS = {"stream_events"}

WITH_IDS = [(prefix, one) for prefix, one in EVERY if set(one.parameters) - PUBLIC]
# It hands over the caller's own account, which then has nothing to hide from.
ENDS = {"begin_departure"}
WITHOUT = [(prefix, one) for prefix, one in EVERY if not one.parameters and one.name not in STREAMS | ENDS]


class Estate:
    """An account that has one of everything, and the ids of it all."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.now = datetime.now(UTC)
        self.connection = UUID(caller.connect())
        self.boards = UUID(caller.connect("pinterest"))
        self.place = UUID(caller.connect("bluesky"))
        self.post = UUID(caller.create(str(self.connection), batch_id=uuid4().hex)["id"])
        self.storage_path = f"{caller.account_id}/picture-{uuid4().hex[:8]}.png"
        self.subscription, self.event, self.delivery, self.content = uuid4(), uuid4(), uuid4(), uuid4()
        self.attempt = uuid4()
        self.content_id = f"content-{self.content.hex}"
        self.key = caller.service.new_key(caller.account_id)[0]
        caller.service.database.write_now(self._insert)

    @property
    def ids(self) -> dict[str, tuple[str, ...]]:
        """Ids by the name of the parameter that takes them."""
        return {
            "post_id": (str(self.post),),
            "connection_id": (str(self.connection), str(self.boards)),
            "place_id": (str(self.place),),
            "attempt_id": (str(self.attempt),),
            "storage_path": (self.storage_path,),
            "subscription_id": (str(self.subscription),),
            "delivery_id": (str(self.delivery),),
            "key_id": (str(self.key),),
        }

    @property
    def traces(self) -> set[str]:
        """What must not stand in any answer to somebody else."""
        own = {value for values in self.ids.values() for value in values}
        return own | {str(self.caller.account_id), str(self.event), str(self.content), self.content_id}

    def _insert(self, connection: Connection) -> None:
        for table, row in self._rows():
            connection.execute(insert(table).values(row))

    def _rows(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        owner = {"account_id": self.caller.account_id, "created_at": self.now}
        published = {"connection_id": self.connection, "platform": "linkedin", "content_id": self.content_id}
        numbers = dict.fromkeys(("views", "likes", "comments", "shares", "subscribers"), 7)
        yield (
            tables.contents,
            {"id": self.content, "post_id": self.post, "created_via": "rest", **owner, **published},
        )
        yield (
            tables.metrics,
            {"id": uuid4(), "metric_date": self.now.date(), **numbers, **owner, **published},
        )
        yield (
            tables.media,
            {
                "id": uuid4(),
                "storage_path": self.storage_path,
                "kind": "image",
                "content_type": "image/png",
                "size_bytes": 70,
                "sha256": "0" * 64,
                **owner,
            },
        )
        yield (
            tables.connection_flows,
            {
                "connection_id": self.attempt,
                "platform": "linkedin",
                "state_hash": uuid4().hex,
                "code_verifier": b"sealed",
                "callback_url": "https://planner.example/callback",
                "stage": "waiting",
                "expires_at": self.now + timedelta(minutes=15),
                **owner,
            },
        )
        yield tables.events, {"id": self.event, "type": "post.failed", "data": "{}", **owner}
        yield (
            tables.webhook_subscriptions,
            {
                "id": self.subscription,
                "url": "https://receiver.example/",
                "events": ["post.failed"],
                "secret": b"sealed",
                "active": True,
                "failure_count": 0,
                "updated_at": self.now,
                **owner,
            },
        )
        yield (
            tables.deliveries,
            {
                "id": self.delivery,
                "subscription_id": self.subscription,
                "event_id": self.event,
                "event_type": "post.failed",
                "attempt": 1,
                "retry": 0,
                "created_at": self.now,
            },
        )


@pytest.fixture(scope="module")
def theirs(_running: RunningService) -> Iterator[Estate]:
    yield Estate(_running.new_caller())
    _running.forget_callers()


@pytest.fixture(scope="module")
def stranger(_running: RunningService) -> Estate:
    """Somebody with an estate of their own."""
    return Estate(_running.new_caller(name="Stranger"))


def name_of(part: Any) -> str:
    return part.name if isinstance(part, Operation) else str(part).strip("/").partition("/")[0]


def call(
    caller: Caller, prefix: str, operation: Operation, ids: dict[str, str], body: Any = None
) -> httpx.Response:
    path = operation.path
    for name, value in ids.items():
        path = path.replace(f"{{{name}}}", value)
    if body is None and operation.body is not None:
        body = dict(example_of(operation.body.model) or {})
    if body is not None and "scheduled_at" in body:
        body["scheduled_at"] = in_hours(2)
    url = f"{caller.service.base_url}{prefix}{path}"
    return caller.http.request(operation.method.upper(), url, json=body)


def _refusal(answer: httpx.Response) -> tuple[int, Any]:
    return answer.status_code, answer.json().get("error")


@pytest.mark.parametrize(("prefix", "operation"), WITH_IDS, ids=name_of)
def test_ids_of_another_account_are_as_good_as_ids_of_nothing(
    theirs: Estate, stranger: Estate, prefix: str, operation: Operation
) -> None:
    parameters = [name for name in operation.parameters if name not in PUBLIC]
    for foreign in parameters:  # one id is theirs, those before it are the stranger's own
        for value in theirs.ids[foreign]:
            ids = {name: stranger.ids[name][0] for name in parameters} | {foreign: value}
            answer = call(stranger.caller, prefix, operation, ids)
            nothing = f"{uuid4()}/none.png" if foreign == "storage_path" else str(uuid4())
            unknown = call(stranger.caller, prefix, operation, ids | {foreign: nothing})
            assert answer.status_code == (403 if foreign == "storage_path" else 404), answer.text
            assert _refusal(answer) == _refusal(unknown)
            assert not [trace for trace in theirs.traces if trace in answer.text]


@pytest.mark.parametrize(("prefix", "operation"), WITHOUT, ids=name_of)
def test_no_answer_without_ids_holds_anything_of_another_account(
    theirs: Estate, stranger: Estate, prefix: str, operation: Operation
) -> None:
    answer = call(stranger.caller, prefix, operation, {})
    assert not [trace for trace in theirs.traces if trace in answer.text]


def test_nothing_of_another_account_can_be_posted_with(theirs: Estate, stranger: Estate) -> None:
    body = stranger.caller.post_body(str(theirs.connection))
    assert stranger.caller.http.post("/posts", json=body).status_code == 404
    own = stranger.caller.post_body(
        str(stranger.connection), post_type="image", media_storage_path=theirs.storage_path
    )
    assert stranger.caller.http.post("/posts", json=own).status_code == 403
    bulk = stranger.caller.http.post("/posts/bulk", json={"posts": [body, own]}).json()
    assert [item["code"] for item in bulk["rejected"]] == ["not_found", "forbidden"]


def test_after_all_that_nothing_of_theirs_has_changed(theirs: Estate, stranger: Estate) -> None:
    assert stranger.caller.http.delete(f"/posts/{theirs.post}", params={"hard": "true"}).status_code == 404
    http = theirs.caller.http
    assert http.get(f"/posts/{theirs.post}").json()["status"] == "scheduled"
    assert http.get(f"/webhooks/{theirs.subscription}").json()["active"] is True
    assert http.get(f"/media/{theirs.storage_path}").status_code == 200
    keys = http.get(f"{theirs.caller.service.base_url}/companion/v1/keys").json()["data"]
    assert all(key["revoked_at"] is None for key in keys)
