"""The test endpoint: a sample now, once, recorded, and without consequences."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import BaseModel

from app.contract.enums import EventType
from app.contract.webhooks import (
    ConnectionEventData,
    PostEventData,
    PostFailedData,
    PostPublishedData,
    WebhookTestResult,
)
from tests.service.test_envelope import fields
from tests.service.webhooks.conftest import Subscriber
from tests.service.webhooks.receivers import Connection, Receiver, answers, resets

DATA: dict[EventType, type[BaseModel]] = {
    EventType.POST_SCHEDULED: PostEventData,
    EventType.POST_PUBLISHED: PostPublishedData,
    EventType.POST_FAILED: PostFailedData,
    EventType.CONNECTION_CONNECTED: ConnectionEventData,
    EventType.CONNECTION_EXPIRED: ConnectionEventData,
}


def run_test(subscriber: Subscriber, subscription_id: str, **body: str) -> dict[str, Any]:
    answer = subscriber.caller.http.post(f"/webhooks/{subscription_id}/test", json=body or None)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    assert set(result) == set(WebhookTestResult.model_fields)
    assert result["subscription_id"] == subscription_id
    return result


def test_without_a_type_it_sends_a_test(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(answers(201))
    made = subscriber.subscribe(endpoint, "post.failed")

    result = run_test(subscriber, made["id"])

    [request] = endpoint.requests
    assert request.headers["x-service-event"] == request.event["event_type"] == "webhook.test"
    assert request.event["delivery_id"] == result["delivery_id"]
    assert (result["status_code"], result["error_message"]) == (201, None)
    assert 0 <= result["latency_ms"] < 60_000
    [record] = subscriber.log(made["id"])
    assert record["id"] == result["delivery_id"]
    assert (record["event_type"], record["attempt"]) == ("webhook.test", 1)
    assert (record["delivered_at"], record["latency_ms"]) == (result["delivered_at"], result["latency_ms"])
    assert subscriber.row(record["id"]).request_body == request.body


@pytest.mark.parametrize("event_type", EventType)
def test_with_a_type_it_sends_data_of_that_shape(
    subscriber: Subscriber, receiver: Receiver, event_type: EventType
) -> None:
    endpoint = receiver.endpoint()
    made = subscriber.subscribe(endpoint, "post.failed")

    run_test(subscriber, made["id"], event_type=event_type.value)

    [request] = endpoint.requests
    assert request.event["event_type"] == event_type.value
    assert set(request.event["data"]) == set(DATA[event_type].model_fields)
    DATA[event_type].model_validate(request.event["data"])


@pytest.mark.parametrize("body", [{"event_type": "post.deleted"}, {"event_type": None}, {"event_type": 5}])
def test_other_types_are_refused(subscriber: Subscriber, receiver: Receiver, body: dict[str, Any]) -> None:
    endpoint = receiver.endpoint()
    made = subscriber.subscribe(endpoint)

    answer = subscriber.caller.http.post(f"/webhooks/{made['id']}/test", json=body)

    assert set(fields(answer)) == {"event_type"}
    assert endpoint.requests == []


def test_an_empty_object_is_no_type(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    made = subscriber.subscribe(endpoint)

    assert subscriber.caller.http.post(f"/webhooks/{made['id']}/test", json={}).status_code == 200
    assert endpoint.requests[0].event["event_type"] == "webhook.test"


@pytest.mark.parametrize("status", [500, 404, 302])
def test_a_failed_test_is_told_recorded_and_neither_repeated_nor_counted(
    subscriber: Subscriber, receiver: Receiver, status: int
) -> None:
    endpoint = receiver.endpoint(answers(status))
    made = subscriber.subscribe(endpoint)

    for _ in range(11):
        result = run_test(subscriber, made["id"])
        assert (result["status_code"], result["delivered_at"]) == (status, None)
        assert str(status) in result["error_message"]

    assert len(subscriber.settled(made["id"])) == len(endpoint.requests) == 11
    subscription = subscriber.get(made["id"])
    assert (subscription["active"], subscription["failure_count"]) == (True, 0)
    assert subscription["last_delivery_at"] is not None


def test_a_good_test_does_not_forget_failures(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(answers(404), answers(200))
    made = subscriber.subscribe(endpoint)
    subscriber.schedule()
    subscriber.logged(made["id"], 1)

    assert run_test(subscriber, made["id"])["delivered_at"]
    assert subscriber.get(made["id"])["failure_count"] == 1


def test_an_endpoint_that_is_not_there_is_told(subscriber: Subscriber, receiver: Receiver) -> None:
    made = subscriber.subscribe(receiver.endpoint(resets))

    result = run_test(subscriber, made["id"])

    assert (result["status_code"], result["delivered_at"]) == (None, None)
    assert result["error_message"]


def test_it_works_on_a_webhook_that_is_switched_off(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    made = subscriber.subscribe(endpoint)
    subscriber.caller.http.patch(f"/webhooks/{made['id']}", json={"active": False})

    assert run_test(subscriber, made["id"])["delivered_at"]
    assert subscriber.get(made["id"])["active"] is False


def test_a_test_can_be_replayed(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    made = subscriber.subscribe(endpoint)
    result = run_test(subscriber, made["id"])

    answer = subscriber.replay(made["id"], result["delivery_id"])

    assert answer["event_type"] == "webhook.test"
    first, again = endpoint.wait_for(2)
    assert again.event["event_id"] == first.event["event_id"]
    assert again.event["delivery_id"] != result["delivery_id"]


def test_a_webhook_that_is_deleted_during_its_test_leaves_nothing(
    subscriber: Subscriber, receiver: Receiver
) -> None:
    async def held(connection: Connection) -> None:
        while not connection.released.is_set():  # noqa: ASYNC110  the event belongs to another thread
            await asyncio.sleep(0.005)
        await answers(204)(connection)

    endpoint = receiver.endpoint(held)
    made = subscriber.subscribe(endpoint)
    with ThreadPoolExecutor(1) as pool, subscriber.another_client() as http:
        testing = pool.submit(http.post, f"/webhooks/{made['id']}/test")
        endpoint.wait_for(1)
        assert subscriber.caller.http.delete(f"/webhooks/{made['id']}").status_code == 200
        endpoint.released.set()
        answer = testing.result(20)

    assert (answer.status_code, answer.json()["status_code"]) == (200, 204)
    assert subscriber.recorded_events() == []
