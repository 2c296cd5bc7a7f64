"""Consecutive failures: counting, disabling, enabling again."""

from tests.conformance.hooks import now, plan
from tests.conformance.outcome import expect, same
from tests.conformance.receiver import Inbox, Reply
from tests.conformance.register import rule
from tests.conformance.shapes import moment
from tests.conformance.stage import Fields, Stage

SUBSCRIPTION = "Webhook subscription"
EVENTS = "Events"
LIMITS = "Limits"
STATES = "States and transitions"
DISABLED_AFTER = 10


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
    """Return an inbox that failed until its subscription was disabled."""
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
