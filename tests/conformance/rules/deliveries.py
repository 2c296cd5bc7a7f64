"""The delivery log: records, retries, disabling, enabling again, replay."""

import time
from itertools import pairwise
from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.receiver import Arrived, Inbox, Reply
from tests.conformance.register import rule
from tests.conformance.shapes import check_page, check_shape, moment
from tests.conformance.stage import Fields, Stage

RECORD = "Webhook delivery record"
REPLAYED = "Webhook replay result"
SUBSCRIPTION = "Webhook subscription"
WEBHOOKS = "Webhooks"
EVENTS = "Events"
LIMITS = "Limits"
STATES = "States and transitions"
ATTEMPTS = 4
DISABLED_AFTER = 10


def plan(stage: Stage, inbox: Inbox, arrivals: int = 1) -> list[Arrived]:
    """Plans a post and waits for its event, this often; gives what came of it."""
    post_id = stage.planned()["id"]
    came = inbox.wait(lambda one: post_id in one.raw.decode(), arrivals, stage.target.patience_s)
    expect(len(came) >= arrivals, f"{len(came)} of {arrivals} requests came for one event")
    return came


def log(stage: Stage, subscription: Fields) -> list[Fields]:
    """The delivery log, each record checked."""
    page = stage.api.get(f"/webhooks/{subscription['id']}/deliveries", limit=100).given()
    return check_page(RECORD, page)


def recorded(stage: Stage, subscription: Fields, event_id: str, count: int) -> list[Fields]:
    """The records of one event, oldest first, once all are there and settled."""

    def records() -> list[Fields]:
        return [one for one in log(stage, subscription)[::-1] if one["event_id"] == event_id]

    def settled(found: list[Fields]) -> bool:
        return len(found) >= count and all(one["delivered_at"] or one["failed_at"] for one in found)

    return stage.wait_for(f"{count} records of an event", records, settled)


def now(stage: Stage, subscription: Fields) -> Fields:
    found: Fields = stage.api.get(f"/webhooks/{subscription['id']}").given()
    return found


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
    expect(gaps[-1] > gaps[0], f"the waits between attempts do not grow: {gaps}")
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


@rule(SUBSCRIPTION, "Consecutive failed deliveries", "Last delivery attempt", alone=True)
def failures_are_counted_until_a_success(stage: Stage) -> None:
    inbox = stage.inbox(Reply(500), Reply(200))
    subscription = stage.subscribe(inbox, "post.scheduled")
    plan(stage, inbox, 2)
    found = stage.wait_for(
        "failure_count to be reset by a success",
        lambda: now(stage, subscription),
        lambda found: found["failure_count"] == 0 and found["last_delivery_at"],
    )
    expect(moment(found["last_delivery_at"]) >= moment(found["created_at"]), "last_delivery_at is too early")
    inbox.answer(Reply(500))
    plan(stage, inbox)
    stage.wait_for(
        "failures to be counted", lambda: now(stage, subscription), lambda found: found["failure_count"]
    )


def disabled(stage: Stage) -> tuple[Inbox, Fields]:
    """An inbox that failed until its subscription was disabled."""
    inbox = stage.inbox(Reply(500))
    subscription = stage.subscribe(inbox, "post.scheduled")
    for _ in range(DISABLED_AFTER):
        stage.planned()
    found = stage.wait_for(
        "a subscription whose deliveries all fail to be disabled",
        lambda: now(stage, subscription),
        lambda found: not found["active"],
    )
    return inbox, found


@rule(
    EVENTS,
    "After 10 consecutive failures the subscription is disabled automatically",
    "Re-enable with PATCH active true",
    also={
        STATES: [
            "Repeated delivery failures (10 consecutive) set active false and last_disabled_at",
            "PATCH with active true sets it back to true, resets failure_count to 0",
        ],
        SUBSCRIPTION: ["False after repeated delivery failures disable it", "When auto-disabled, if ever"],
        LIMITS: ["subscription disabled after 10 consecutive failures"],
    },
    alone=True,
)
def ten_failures_in_a_row_disable_a_subscription_until_it_is_enabled(stage: Stage) -> None:
    inbox, subscription = disabled(stage)
    expect(
        subscription["failure_count"] >= DISABLED_AFTER, f"failure_count is {subscription['failure_count']}"
    )
    expect(subscription["last_disabled_at"], "last_disabled_at is null on a disabled subscription")
    enabled = stage.api.patch(f"/webhooks/{subscription['id']}", {"active": True}).given()
    same((enabled["active"], enabled["failure_count"]), (True, 0), "active and failure_count once enabled")
    same(enabled["last_disabled_at"], None, "last_disabled_at once enabled")
    inbox.answer(Reply(200))
    plan(stage, inbox)


@rule(EVENTS, "After 10 consecutive failures the subscription is disabled automatically", alone=True)
def nine_failures_in_a_row_disable_nothing(stage: Stage) -> None:
    inbox = stage.inbox(*[Reply(500)] * (DISABLED_AFTER - 1), Reply(200))
    subscription = stage.subscribe(inbox, "post.scheduled")
    for _ in range(DISABLED_AFTER - 1):
        stage.planned()
    stage.wait_for(
        "nine failures and then successes",
        lambda: now(stage, subscription),
        lambda found: len(inbox.events(lambda _one: True)) >= DISABLED_AFTER and found["failure_count"] == 0,
    )
    found = now(stage, subscription)
    same((found["active"], found["last_disabled_at"]), (True, None), "active and last_disabled_at")


@rule(
    REPLAYED,
    *rows(REPLAYED),
    "Subscription targeted",
    "Delivery replayed",
    "Event type re-dispatched",
    "Confirmation that a new delivery appears shortly",
    also={
        WEBHOOKS: [
            "POST /webhooks/{id}/deliveries/{delivery_id}/replay · No body",
            "Re-dispatches the past event through the normal delivery pipeline",
            "Returns the replay result",
        ],
        EVENTS: ["a past delivery can be replayed"],
    },
    alone=True,
)
def a_replay_delivers_the_past_event_again(stage: Stage) -> None:
    inbox = stage.inbox()
    subscription = stage.subscribe(inbox, "post.scheduled")
    first = plan(stage, inbox)[0].body
    path = f"/webhooks/{subscription['id']}/deliveries/{first['delivery_id']}/replay"
    result = stage.api.post(path).given()
    check_shape(REPLAYED, result)
    same(result["subscription_id"], subscription["id"], "subscription_id")
    same(result["original_delivery_id"], first["delivery_id"], "original_delivery_id")
    same(result["event_type"], "post.scheduled", "event_type")
    expect(result["message"], "message is empty")
    came = inbox.wait(lambda one: one.body["event_id"] == first["event_id"], 2, stage.target.patience_s)
    same(len(came), 2, "the number of requests for the replayed event")
    again = came[1].body
    same((again["event_type"], again["data"]), (first["event_type"], first["data"]), "the replayed event")
    expect(again["delivery_id"] != first["delivery_id"], "the replay has no delivery of its own")
    same(len(recorded(stage, subscription, first["event_id"], 2)), 2, "the number of records")


@rule(
    WEBHOOKS,
    "Subscription must be active, else 403",
    also={"Errors": ["Key lacks scope, quota exhausted"]},
    alone=True,
)
def a_replay_on_a_disabled_subscription_is_forbidden(stage: Stage) -> None:
    inbox = stage.inbox()
    subscription = stage.subscribe(inbox, "post.scheduled")
    path = f"/webhooks/{subscription['id']}"
    delivery = plan(stage, inbox)[0].body["delivery_id"]
    stage.api.patch(path, {"active": False}).given()
    stage.api.post(f"{path}/deliveries/{delivery}/replay").refused("forbidden")
    stage.api.patch(path, {"active": True}).given()
    stage.api.post(f"{path}/deliveries/{delivery}/replay").given()


@rule(WEBHOOKS, "POST /webhooks/{id}/deliveries/{delivery_id}/replay · No body", alone=True)
def a_replay_of_an_unknown_delivery_is_not_found(stage: Stage) -> None:
    subscription = stage.subscribe(stage.inbox())
    path = f"/webhooks/{subscription['id']}"
    stage.api.post(f"{path}/deliveries/{uuid4()}/replay").refused("not_found")
    other = stage.subscribe(stage.inbox())
    delivery = stage.api.post(f"/webhooks/{other['id']}/test").given()["delivery_id"]
    stage.api.post(f"{path}/deliveries/{delivery}/replay").refused("not_found")
