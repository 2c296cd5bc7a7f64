"""Replaying a past delivery."""

from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.hooks import plan, recorded
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape
from tests.conformance.stage import Stage

REPLAYED = "Webhook replay result"
WEBHOOKS = "Webhooks"
EVENTS = "Events"


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
