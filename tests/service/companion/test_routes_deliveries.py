"""What a delivery carried, for whoever looks for a fault."""

from uuid import uuid4

import pytest
from sqlalchemy import Connection, insert

from app.contract.companion import DeliveryDetails
from app.service.store.tables import deliveries, events, webhook_subscriptions
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import envelope


def url(caller: Caller, delivery_id: object) -> str:
    return f"{caller.service.base_url}/companion/v1/deliveries/{delivery_id}"


def store(caller: Caller, **columns: object) -> str:
    """Stores a delivery that was made, but for what ``columns`` change; gives its id."""
    now = caller.service.clock()
    subscription_id, event_id, delivery_id = uuid4(), uuid4(), uuid4()
    own = {"account_id": caller.account_id, "created_at": now}
    row = {
        "id": delivery_id,
        "subscription_id": subscription_id,
        "event_id": event_id,
        "event_type": "post.published",
        "attempt": 1,
        "retry": 0,
        "status_code": 503,
        "latency_ms": 12,
        "failed_at": now,
        "error_message": "The endpoint responded with 503.",
        "request_headers": {"Content-Type": "application/json", "X-Service-Event": "post.published"},
        "request_body": '{"data": "✓"}'.encode(),
        "created_at": now,
        **columns,
    }

    def work(rows: Connection) -> None:
        rows.execute(
            insert(webhook_subscriptions).values(
                id=subscription_id,
                **own,
                url="https://hooks.example.com/in",
                events=["post.published"],
                secret=b"sealed",
                active=True,
                failure_count=1,
                updated_at=now,
            )
        )
        rows.execute(insert(events).values(id=event_id, **own, type="post.published", data="{}"))
        rows.execute(insert(deliveries).values(row))

    caller.service.database.write_now(work)
    return str(delivery_id)


def test_it_tells_what_was_sent_and_what_came_back(caller: Caller) -> None:
    delivery_id = store(caller)
    answer = caller.http.get(url(caller, delivery_id))
    assert answer.status_code == 200
    told = answer.json()
    assert set(told) == set(DeliveryDetails.model_fields)
    assert told["id"] == delivery_id
    assert told["url"] == "https://hooks.example.com/in"
    assert told["request_headers"]["X-Service-Event"] == "post.published"
    assert told["request_body"] == '{"data": "✓"}'
    assert (told["status_code"], told["latency_ms"]) == (503, 12)


def test_a_delivery_that_never_left_has_no_request(caller: Caller) -> None:
    told = caller.http.get(url(caller, store(caller, request_headers=None, request_body=None))).json()
    assert (told["request_headers"], told["request_body"]) == (None, None)


def test_others_and_deliveries_that_wait_are_not_there(service: RunningService, caller: Caller) -> None:
    made, waiting = store(caller), store(caller, next_attempt_at=service.clock())
    for one, delivery_id in (
        (service.new_caller(), made),
        (caller, waiting),
        (caller, uuid4()),
        (caller, "x"),
    ):
        refused = one.http.get(url(one, delivery_id))
        assert refused.status_code == 404
        assert envelope(refused).error.code == "not_found"


@pytest.mark.parametrize("body", [b"\xff\xfe", b""])
def test_a_body_that_is_no_text_is_still_told(caller: Caller, body: bytes) -> None:
    told = caller.http.get(url(caller, store(caller, request_body=body))).json()
    assert told["request_body"] == body.decode(errors="replace")
