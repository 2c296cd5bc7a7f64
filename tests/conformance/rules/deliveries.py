"""The delivery log, and retries."""

import time
from itertools import pairwise

from tests.conformance.document import rows
from tests.conformance.hooks import ATTEMPTS, plan, recorded
from tests.conformance.outcome import expect, same
from tests.conformance.receiver import Reply
from tests.conformance.register import rule
from tests.conformance.stage import Stage

RECORD = "Webhook delivery record"
WEBHOOKS = "Webhooks"
EVENTS = "Events"
LIMITS = "Limits"


@rule(
    RECORD,
    *rows(RECORD),
    "Delivery id",
    "Delivered event type",
    "Event the delivery belongs to",
    "HTTP status returned by the endpoint",
    "Set on success",
    "Round-trip latency",
    "created_at · Record creation time",
    also={WEBHOOKS: ["Envelope of delivery records"]},
    alone=True,
)
def a_success_is_recorded(stage: Stage) -> None:
    inbox = stage.inbox(Reply(202))
    subscription = stage.subscribe(inbox, "post.scheduled")
    body = plan(stage, inbox)[0].body
    record = recorded(stage, subscription, body["event_id"], 1)[0]
    same((record["id"], record["event_type"]), (body["delivery_id"], "post.scheduled"), "id and event_type")
    same((record["status_code"], record["attempt"], record["failed_at"]), (202, 1, None), "the record")
    expect(record["delivered_at"] and record["error_message"] is None, f"the record is {record}")
    expect(record["latency_ms"] is not None, "latency_ms is null after a success")


@rule(
    RECORD,
    "Attempt counter for the event",
    "Set on failure",
    "Failure detail",
    also={EVENTS: ["Each attempt is recorded in the delivery log"]},
    alone=True,
)
def each_failed_attempt_is_recorded_with_its_number(stage: Stage) -> None:
    inbox = stage.inbox(Reply(500), Reply(503), Reply(200))
    subscription = stage.subscribe(inbox, "post.scheduled")
    event_id = plan(stage, inbox, 3)[0].body["event_id"]
    records = recorded(stage, subscription, event_id, 3)
    same([one["attempt"] for one in records], [1, 2, 3], "the attempts")
    same([one["status_code"] for one in records], [500, 503, 200], "the status codes")
    for one in records[:2]:
        expect(one["failed_at"] and one["error_message"], f"a failed attempt is recorded as {one}")
        same(one["delivered_at"], None, "delivered_at of a failed attempt")
    expect(records[2]["delivered_at"], "delivered_at is null after a success")


@rule(
    WEBHOOKS,
    "GET /webhooks/{id}/deliveries · Query limit, cursor",
    "Envelope of delivery records",
    alone=True,
)
def deliveries_are_listed_newest_first_page_by_page(stage: Stage) -> None:
    subscription = stage.subscribe(stage.inbox())
    path = f"/webhooks/{subscription['id']}"
    made = [stage.api.post(f"{path}/test").given()["delivery_id"] for _ in range(3)]
    first = stage.api.get(f"{path}/deliveries", limit=2).given()
    rest = stage.api.get(f"{path}/deliveries", limit=2, cursor=first["next_cursor"]).given()
    ids = [one["id"] for page in (first, rest) for one in page["data"]]
    same([one for one in ids if one in made], made[::-1], "the order of deliveries")


@rule(
    EVENTS,
    "Failed deliveries (5xx response, timeout, network error) are retried up to 3 times",
    also={LIMITS: ["Up to 3 per failed delivery"]},
    alone=True,
)
def a_failed_delivery_is_retried_three_times_and_no_more(stage: Stage) -> None:
    inbox = stage.inbox(Reply(500))
    subscription = stage.subscribe(inbox, "post.scheduled")
    came = plan(stage, inbox, ATTEMPTS)
    event_id = came[0].body["event_id"]
    same({one.body["event_id"] for one in came}, {event_id}, "the event of the retries")
    gaps = [later.at - earlier.at for earlier, later in pairwise(came)]
    # A busy machine makes one wait or another longer, and none shorter.
    expect(gaps[-1] > min(gaps[:-1]), f"the waits between attempts do not grow: {gaps}")
    same(len(recorded(stage, subscription, event_id, ATTEMPTS)), ATTEMPTS, "the number of attempts on record")
    time.sleep(min(2 * gaps[-1], stage.target.patience_s))
    same(len(inbox.events(lambda one: event_id in one.raw.decode())), ATTEMPTS, "the number of attempts")


@rule(
    EVENTS, "Failed deliveries (5xx response, timeout, network error) are retried up to 3 times", alone=True
)
def a_broken_connection_is_retried(stage: Stage) -> None:
    inbox = stage.inbox(Reply(None), Reply(200))
    subscription = stage.subscribe(inbox, "post.scheduled")
    event_id = plan(stage, inbox, 2)[0].body["event_id"]
    records = recorded(stage, subscription, event_id, 2)
    same([one["status_code"] for one in records], [None, 200], "the status codes")


@rule(
    EVENTS, "Failed deliveries (5xx response, timeout, network error) are retried up to 3 times", alone=True
)
def a_receiver_that_does_not_answer_is_tried_again(stage: Stage) -> None:
    inbox = stage.inbox(Reply(wait=stage.target.patience_s / 2), Reply(200))
    subscription = stage.subscribe(inbox, "post.scheduled")
    event_id = plan(stage, inbox, 2)[0].body["event_id"]
    records = recorded(stage, subscription, event_id, 2)
    same([one["status_code"] for one in records], [None, 200], "the status codes")
    expect(records[0]["error_message"], "error_message is empty after a timeout")


@rule(
    EVENTS, "Failed deliveries (5xx response, timeout, network error) are retried up to 3 times", alone=True
)
def a_success_is_not_delivered_again(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.scheduled")
    first = plan(stage, inbox)[0].body["event_id"]
    plan(stage, inbox)
    same(len(inbox.events(lambda one: one.body["event_id"] == first)), 1, "the number of deliveries")
