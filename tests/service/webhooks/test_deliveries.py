"""Deliveries: what arrives, how often it is tried, and what the log says of it."""

import hashlib
import hmac
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.contract.webhooks import WebhookDelivery
from app.service.store.tables import webhook_subscriptions
from tests.service.running import RunningService
from tests.service.webhooks.conftest import Subscriber
from tests.service.webhooks.receivers import (
    Receiver,
    Reply,
    answers,
    babbles,
    redirects_to,
    resets,
    talks_for_ever,
)

NO_CONTENT = answers(204)


def test_what_arrives(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    made = subscriber.subscribe(endpoint, "post.scheduled")

    post = subscriber.schedule(description="Grüße, 世界 🌍", batch_id="spring")

    [request] = endpoint.wait_for(1)
    event = request.event
    assert request.method == "POST"
    assert set(event) == {"event_type", "event_id", "delivery_id", "created_at", "data"}
    assert event["event_type"] == "post.scheduled"
    assert event["created_at"] == post["created_at"]
    assert event["data"] == {
        "post_id": post["id"],
        "platform": "linkedin",
        "social_account_id": subscriber.connection_id,
        "batch_id": "spring",
    }
    signature = hmac.new(made["secret"].encode(), request.body, hashlib.sha256).hexdigest()
    assert {name: request.headers[name] for name in request.headers if name.startswith("x-service-")} == {
        "x-service-event": "post.scheduled",
        "x-service-delivery": event["delivery_id"],
        "x-service-signature": f"sha256={signature}",
    }
    assert request.names >= {
        "Content-Type",
        "User-Agent",
        "X-Service-Event",
        "X-Service-Delivery",
        "X-Service-Signature",
    }
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"] == "Service-Webhook/1.0"
    assert request.headers["webhook-id"] == event["event_id"]
    assert "authorization" not in request.headers
    assert "cookie" not in request.headers


def test_the_log_holds_what_was_delivered(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(answers(202, b"thanks"))
    made = subscriber.subscribe(endpoint)
    subscriber.schedule()
    [request] = endpoint.wait_for(1)

    [record] = subscriber.logged(made["id"], 1)

    assert set(record) == set(WebhookDelivery.model_fields)
    assert (record["id"], record["event_id"]) == (request.event["delivery_id"], request.event["event_id"])
    assert (record["event_type"], record["attempt"], record["status_code"]) == ("post.scheduled", 1, 202)
    assert (record["failed_at"], record["error_message"]) == (None, None)
    assert record["created_at"] <= record["delivered_at"]
    assert 0 <= record["latency_ms"] < 60_000
    row = subscriber.row(record["id"])
    assert row.request_body == request.body
    assert {
        name.lower(): value for name, value in row.request_headers.items()
    }.items() <= request.headers.items()
    subscription = subscriber.get(made["id"])
    assert (subscription["failure_count"], subscription["last_delivery_at"]) == (0, record["created_at"])
    assert subscription["updated_at"] == made["updated_at"]


def test_only_who_asked_is_told(subscriber: Subscriber, receiver: Receiver) -> None:
    wanted, other, off, stranger = (receiver.endpoint() for _ in range(4))
    subscriber.subscribe(other, "post.published", "connection.expired")
    silent = subscriber.subscribe(off)
    subscriber.caller.http.patch(f"/webhooks/{silent['id']}", json={"active": False})
    another = subscriber.caller.service.new_caller()
    another.http.post("/webhooks", json={"url": stranger.url, "events": ["post.scheduled"]})
    last = subscriber.subscribe(wanted)

    subscriber.schedule()
    subscriber.schedule()

    assert len({request.event["event_id"] for request in wanted.wait_for(2)}) == 2
    subscriber.logged(last["id"], 2)
    assert [other.requests, off.requests, stranger.requests] == [[], [], []]


def test_what_is_not_scheduled_tells_nothing(subscriber: Subscriber, receiver: Receiver) -> None:
    """Neither publishing at once, nor a repeated call, nor a move or a resumed post is a new plan."""
    endpoint = receiver.endpoint()
    subscriber.subscribe(endpoint)
    caller = subscriber.caller

    now = caller.post_body(subscriber.connection_id)
    del now["scheduled_at"]
    assert caller.http.post("/posts", json=now).status_code == 201
    body = caller.post_body(subscriber.connection_id, idempotency_key="once")
    planned = caller.http.post("/posts", json=body).json()
    assert caller.http.post("/posts", json=body).status_code == 200
    caller.http.delete(f"/posts/{planned['id']}")
    moved = {"scheduled_at": "2031-01-01T12:00:00Z"}
    assert caller.http.patch(f"/posts/{planned['id']}", json=moved).json()["status"] == "scheduled"
    assert (
        caller.http.post("/posts", json=body | {"idempotency_key": "n", "platform": "x"}).status_code == 400
    )
    last = subscriber.schedule()

    told = [request.event["data"]["post_id"] for request in endpoint.wait_for(2)]
    assert told == [planned["id"], last["id"]]


def test_a_batch_tells_of_every_post(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    subscriber.subscribe(endpoint)
    items = [subscriber.caller.post_body(subscriber.connection_id) for _ in range(4)]
    items.append(items[0] | {"post_type": "hologram"})

    batch = subscriber.caller.http.post("/posts/bulk", json={"posts": items}).json()

    told = [request.event["data"] for request in endpoint.wait_for(4)]
    assert {data["post_id"] for data in told} == {post["id"] for post in batch["posts"]}
    assert {data["batch_id"] for data in told} == {batch["batch_id"]}


@pytest.mark.parametrize(
    ("bad", "status", "words"),
    [
        (answers(500), 500, "responded with 500"),
        (answers(503, b"x" * 5000), 503, "responded with 503"),
        (answers(599), 599, "responded with 599"),
        (resets, None, "ended before the response was complete"),
        (babbles, None, "ended before the response was complete"),
    ],
)
def test_what_may_pass_is_tried_again(
    subscriber: Subscriber, receiver: Receiver, bad: Reply, status: int | None, words: str
) -> None:
    endpoint = receiver.endpoint(bad, bad, bad, NO_CONTENT)
    made = subscriber.subscribe(endpoint)
    subscriber.schedule()

    log = subscriber.logged(made["id"], 4)

    assert [record["attempt"] for record in log] == [4, 3, 2, 1]
    assert [record["status_code"] for record in log] == [204, status, status, status]
    assert all(words in record["error_message"] for record in log[1:])
    assert all(record["failed_at"] and not record["delivered_at"] for record in log[1:])
    assert len({record["event_id"] for record in log}) == 1
    assert subscriber.get(made["id"])["failure_count"] == 0
    requests = endpoint.wait_for(4)
    sent = [request.headers["x-service-delivery"] for request in requests]
    assert sent == [record["id"] for record in reversed(log)]
    assert sent == [request.event["delivery_id"] for request in requests]
    assert {request.headers["webhook-id"] for request in requests} == {log[0]["event_id"]}
    events = [{**request.event, "delivery_id": None} for request in requests]
    assert all(event == events[0] for event in events)


def test_after_three_retries_it_is_given_up(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(answers(500))
    made = subscriber.subscribe(endpoint)
    subscriber.schedule()
    subscriber.logged(made["id"], 4)
    endpoint.replies[:] = [NO_CONTENT]
    subscriber.schedule()

    log = subscriber.logged(made["id"], 5)

    assert [record["attempt"] for record in log] == [1, 4, 3, 2, 1]
    assert len(endpoint.requests) == 5


@pytest.mark.parametrize("status", [400, 401, 404, 410, 429, 301, 302, 307, 308, 304])
def test_what_will_not_pass_is_not_tried_again(
    subscriber: Subscriber, receiver: Receiver, status: int
) -> None:
    endpoint = receiver.endpoint(answers(status), NO_CONTENT)
    made = subscriber.subscribe(endpoint)
    subscriber.schedule()
    subscriber.logged(made["id"], 1)
    assert subscriber.get(made["id"])["failure_count"] == 1
    subscriber.schedule()

    log = subscriber.logged(made["id"], 2)

    assert [record["attempt"] for record in log] == [1, 1]
    assert log[1]["status_code"] == status
    assert str(status) in log[1]["error_message"]
    assert log[1]["failed_at"]
    assert subscriber.get(made["id"])["failure_count"] == 0


def test_redirects_are_not_followed(subscriber: Subscriber, receiver: Receiver) -> None:
    beyond = receiver.endpoint()
    endpoint = receiver.endpoint(redirects_to(beyond.url))
    made = subscriber.subscribe(endpoint)
    subscriber.schedule()

    [record] = subscriber.logged(made["id"], 1)

    assert "Redirects aren't followed" in record["error_message"]
    assert beyond.requests == []


def test_an_answer_without_an_end_is_not_read_on(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(talks_for_ever)
    made = subscriber.subscribe(endpoint)
    subscriber.schedule()

    [record] = subscriber.logged(made["id"], 1)

    assert (record["status_code"], record["failed_at"]) == (200, None)


def test_ten_failures_in_a_row_switch_it_off(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(answers(404))
    made = subscriber.subscribe(endpoint)
    before = subscriber.caller.service.clock()
    for count in range(1, 10):
        subscriber.schedule()
        subscriber.logged(made["id"], count)
    assert (subscriber.get(made["id"])["active"], subscriber.get(made["id"])["failure_count"]) == (True, 9)

    subscriber.schedule()
    subscriber.logged(made["id"], 10)

    subscription = subscriber.get(made["id"])
    assert (subscription["active"], subscription["failure_count"]) == (False, 10)
    assert datetime.fromisoformat(subscription["last_disabled_at"]) >= before
    assert subscription["updated_at"] == subscription["last_disabled_at"]
    subscriber.schedule()
    endpoint.replies[:] = [NO_CONTENT]
    subscriber.caller.http.patch(f"/webhooks/{made['id']}", json={"active": True})
    last = subscriber.schedule()
    log = subscriber.logged(made["id"], 11)
    assert log[0]["delivered_at"]
    assert endpoint.requests[-1].event["data"]["post_id"] == last["id"]
    assert len(endpoint.requests) == 11, "what happened while it was off is not delivered later"


def test_retries_count_as_failures_and_what_waited_is_dropped_with_a_word(
    subscriber: Subscriber, receiver: Receiver
) -> None:
    endpoint = receiver.endpoint(answers(500))
    made = subscriber.subscribe(endpoint)
    for _ in range(8):
        subscriber.schedule()

    log = subscriber.settled(made["id"])

    assert len(endpoint.requests) == 10
    assert (subscriber.get(made["id"])["active"], subscriber.get(made["id"])["failure_count"]) == (False, 10)
    dropped = [record for record in log if record["status_code"] is None]
    assert dropped
    assert all(record["error_message"].startswith("Not sent:") for record in dropped)
    assert all(record["failed_at"] for record in dropped)
    endpoint.replies[:] = [NO_CONTENT]
    subscriber.caller.http.patch(f"/webhooks/{made['id']}", json={"active": True})
    subscriber.replay(made["id"], dropped[0]["id"])
    [again] = endpoint.wait_for(11)[10:]
    assert again.event["event_id"] == dropped[0]["event_id"]


def test_switching_off_drops_what_waits(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    made = subscriber.subscribe(endpoint)
    subscriber.schedule()
    [delivered] = subscriber.logged(made["id"], 1)
    waiting = subscriber.put_off(delivered)
    assert subscriber.log(made["id"]) == [delivered]

    subscriber.caller.http.patch(f"/webhooks/{made['id']}", json={"active": False})

    record = next(one for one in subscriber.log(made["id"]) if one["id"] == waiting)
    assert "was switched off" in record["error_message"]
    assert record["failed_at"]
    assert len(endpoint.requests) == 1


def test_a_replay_is_the_same_event_in_a_new_delivery(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(answers(400), answers(500), NO_CONTENT)
    made = subscriber.subscribe(endpoint)
    subscriber.schedule()
    [first] = subscriber.logged(made["id"], 1)

    answer = subscriber.replay(made["id"], first["id"])

    assert answer["subscription_id"] == made["id"]
    assert answer["original_delivery_id"] == first["id"]
    assert answer["event_type"] == "post.scheduled"
    assert set(answer) == {"subscription_id", "original_delivery_id", "event_type", "message"}
    log = subscriber.logged(made["id"], 3)
    assert [record["attempt"] for record in log] == [3, 2, 1]
    assert [record["status_code"] for record in log] == [204, 500, 400]
    assert len({record["id"] for record in log}) == 3
    old, _, new = endpoint.wait_for(3)
    assert {**new.event, "delivery_id": None} == {**old.event, "delivery_id": None}
    assert new.event["delivery_id"] == log[0]["id"]


def test_a_replay_needs_an_active_webhook_and_a_delivery_of_it(
    subscriber: Subscriber, receiver: Receiver
) -> None:
    http = subscriber.caller.http
    made, other = subscriber.subscribe(receiver.endpoint()), subscriber.subscribe(receiver.endpoint())
    subscriber.schedule()
    [record] = subscriber.logged(made["id"], 1)
    subscriber.logged(other["id"], 1)
    path = f"/webhooks/{made['id']}/deliveries"

    assert http.post(f"{path}/{uuid4()}/replay").status_code == 404
    assert http.post(f"{path}/last/replay").status_code == 404
    assert http.post(f"/webhooks/{other['id']}/deliveries/{record['id']}/replay").status_code == 404
    http.patch(f"/webhooks/{made['id']}", json={"active": False})
    refused = http.post(f"{path}/{record['id']}/replay")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    assert "active" in refused.json()["error"]["message"]
    assert len(subscriber.log(made["id"])) == 1


def test_the_log_is_paged(subscriber: Subscriber, receiver: Receiver) -> None:
    made = subscriber.subscribe(receiver.endpoint())
    for _ in range(7):
        subscriber.schedule()
    subscriber.logged(made["id"], 7)
    path = f"/webhooks/{made['id']}/deliveries"

    pages: list[list[dict[str, Any]]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = subscriber.caller.http.get(path, params={"limit": 3, "cursor": cursor}).json()
        pages.append(page["data"])
        cursor = page["next_cursor"]

    assert [len(page) for page in pages] == [3, 3, 1]
    seen = [record for page in pages for record in page]
    assert seen == subscriber.log(made["id"], limit=100)
    assert [r["created_at"] for r in seen] == sorted((r["created_at"] for r in seen), reverse=True)
    assert subscriber.caller.http.get(path, params={"limit": 101}).status_code == 400
    assert subscriber.caller.http.get(path, params={"cursor": "x"}).status_code == 400


def test_an_address_that_turned_private_is_not_called(receiver: Receiver, service: RunningService) -> None:
    """What was stored when it was allowed is looked at again when it is sent."""
    connections = receiver.connections
    caller = service.new_caller()
    made = caller.http.post("/webhooks", json={"url": "https://1.1.1.1/", "events": ["post.failed"]}).json()
    endpoint = receiver.endpoint()
    service.database.write_now(
        lambda rows: rows.execute(
            webhook_subscriptions.update()
            .where(webhook_subscriptions.c.id == UUID(made["id"]))
            .values(url=endpoint.url)
        )
    )

    result = caller.http.post(f"/webhooks/{made['id']}/test").json()

    assert (result["status_code"], result["delivered_at"]) == (None, None)
    assert "private" in result["error_message"]
    assert (endpoint.requests, receiver.connections) == ([], connections)
