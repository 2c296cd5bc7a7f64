"""Testing a webhook subscription."""

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.receiver import Reply
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape
from tests.conformance.stage import ALL_EVENTS, Stage

WEBHOOKS = "Webhooks"
TESTED = "Webhook test result"
EVENTS = "Events"


@rule(
    TESTED,
    *rows(TESTED),
    "Subscription tested",
    "HTTP status the endpoint returned",
    "Round-trip latency",
    "Set when delivery succeeded",
    also={
        WEBHOOKS: ["Optional body {event_type}", "defaults to a webhook.test payload"],
        EVENTS: ["A synthetic event type webhook.test is used"],
    },
    alone=True,
)
def a_test_delivers_a_webhook_test_and_tells_the_result(stage: Stage) -> None:
    inbox = stage.inbox(Reply(204, content=b""))
    created = stage.subscribe(inbox)
    result = stage.api.post(f"/webhooks/{created['id']}/test").given()
    check_shape(TESTED, result)
    same((result["subscription_id"], result["status_code"]), (created["id"], 204), "subscription and status")
    expect(result["delivered_at"] and result["error_message"] is None, f"the result is {result}")
    expect(result["latency_ms"] >= 0, f"latency_ms is {result['latency_ms']}")
    same([one.body["event_type"] for one in inbox.arrived], ["webhook.test"], "the events that came")
    same(inbox.arrived[0].body["delivery_id"], result["delivery_id"], "delivery_id")


@rule(
    TESTED, "Recorded delivery", also={EVENTS: ["Each attempt is recorded in the delivery log"]}, alone=True
)
def a_test_is_recorded_as_a_delivery(stage: Stage) -> None:
    created = stage.subscribe(stage.inbox())
    path = f"/webhooks/{created['id']}"
    result = stage.api.post(f"{path}/test").given()
    ids = [one["id"] for one in stage.api.get(f"{path}/deliveries").given()["data"]]
    expect(result["delivery_id"] in ids, "the test is not among the deliveries")


@rule(WEBHOOKS, "Optional body {event_type}", alone=True)
def a_test_delivers_the_event_type_that_is_asked_for(stage: Stage) -> None:
    inbox = stage.inbox()
    created = stage.subscribe(inbox)
    for event in ALL_EVENTS:
        stage.api.post(f"/webhooks/{created['id']}/test", {"event_type": event}).given()
    same([one.body["event_type"] for one in inbox.arrived], list(ALL_EVENTS), "the events that came")
    stage.api.post(f"/webhooks/{created['id']}/test", {}).given()
    same(inbox.arrived[-1].body["event_type"], "webhook.test", "the event of an empty body")
    for wrong in ("post.lost", 7):
        stage.api.post(f"/webhooks/{created['id']}/test", {"event_type": wrong}).names("event_type")


@rule(TESTED, "Set when delivery failed", "HTTP status the endpoint returned", alone=True)
def a_test_that_fails_tells_why(stage: Stage) -> None:
    inbox = stage.inbox(Reply(500), Reply(None))
    created = stage.subscribe(inbox)
    path = f"/webhooks/{created['id']}/test"
    for status in (500, None):
        result = stage.api.post(path).given()
        check_shape(TESTED, result)
        same((result["status_code"], result["delivered_at"]), (status, None), "status_code and delivered_at")
        expect(result["error_message"], "error_message is empty after a failed test")


@rule(
    WEBHOOKS,
    "Delivers synchronously with a 10 second timeout",
    also={"Limits": ["Webhook test timeout · 10 seconds"]},
    alone=True,
)
def a_test_waits_ten_seconds_for_the_answer(stage: Stage) -> None:
    inbox = stage.inbox(Reply(wait=13.0))
    created = stage.subscribe(inbox)
    result = stage.api.post(f"/webhooks/{created['id']}/test").given()
    same(
        (result["status_code"], result["delivered_at"]), (None, None), "the result without an answer in time"
    )
    expect(result["error_message"], "error_message is empty after the timeout")
    expect(9_000 < result["latency_ms"] < 13_000, f"it waited for {result['latency_ms']} ms")


@rule(WEBHOOKS, "Delivers synchronously with a 10 second timeout", alone=True)
def a_test_answered_within_ten_seconds_succeeds(stage: Stage) -> None:
    created = stage.subscribe(stage.inbox(Reply(wait=7.0)))
    result = stage.api.post(f"/webhooks/{created['id']}/test").given()
    same(result["status_code"], 200, "the status of an answer after seven seconds")
    expect(result["latency_ms"] >= 6_500, f"latency_ms is {result['latency_ms']} after seven seconds")
