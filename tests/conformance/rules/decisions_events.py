"""This project's decisions about webhooks and usage, where the specification is silent."""

from tests.conformance.hooks import ATTEMPTS, came, now, plan
from tests.conformance.outcome import expect, same
from tests.conformance.receiver import Reply
from tests.conformance.register import decision
from tests.conformance.stage import ALL_EVENTS, Stage

ACTIONS = {
    "posts": {"create", "list", "bulk", "get", "reschedule", "delete", "analytics"},
    "connections": {"list", "initiate", "get", "reauth", "boards"},
    "media": {"upload_url", "attach", "view", "delete"},
    "webhooks": {"create", "list", "get", "update", "delete", "test", "deliveries", "replay"},
    "analytics": {"list"},
    "history": {"list"},
    "usage": {"get"},
}


@decision("H2")
def refusals_of_the_receiver_count_as_failures(stage: Stage) -> None:
    inbox = stage.inbox(Reply(404))
    subscription = stage.subscribe(inbox, "post.failed")
    post = stage.failed()
    came(stage, inbox, post["id"])
    stage.wait_for("a 404 to be counted", lambda: now(stage, subscription), lambda it: it["failure_count"])


@decision("H2", alone=True)
def the_tenth_failed_attempt_disables(stage: Stage) -> None:
    inbox = stage.inbox(Reply(500))
    subscription = stage.subscribe(inbox, "post.scheduled")
    for _ in range(2):
        plan(stage, inbox, ATTEMPTS)
    stage.planned()
    found = stage.wait_for(
        "ten failed attempts", lambda: now(stage, subscription), lambda it: it["failure_count"] >= 10
    )
    same((found["failure_count"], found["active"]), (10, False), "failure_count and active")
    same(len(inbox.arrived), 10, "the number of requests")


@decision("H3")
def data_of_post_events_tells_which_post(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.published", "post.failed")
    base = {"post_id", "platform", "social_account_id", "batch_id"}
    published, failed = stage.published(), stage.failed()
    data = came(stage, inbox, published["id"]).body["data"]
    same(set(data), base | {"content_id", "posted_at"}, "the fields of post.published")
    same(data["posted_at"], published["posted_at"], "posted_at")
    data = came(stage, inbox, failed["id"]).body["data"]
    same(set(data), base | {"reason"}, "the fields of post.failed")
    expect(data["reason"], "the reason is empty")


@decision("H3", alone=True)
def data_of_scheduled_and_connection_events_tell_what_they_are_about(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.scheduled", "connection.connected")
    data = plan(stage, inbox)[0].body["data"]
    same(set(data), {"post_id", "platform", "social_account_id", "batch_id"}, "the fields of post.scheduled")
    account = stage.fresh_connection("x")
    data = came(stage, inbox, account["id"]).body["data"]
    expected = {"connection_id": account["id"], "platform": "x"}
    expected |= {name: account[name] for name in ("username", "display_name")}
    same(data, expected, "data of connection.connected")


@decision("H4")
def only_the_five_event_types_can_be_subscribed_to(stage: Stage) -> None:
    body = {"url": stage.inbox().url, "events": [*ALL_EVENTS, "webhook.test"]}
    stage.api.post("/webhooks", body).names("events")


@decision("U1")
def actions_are_called_as_decided(stage: Stage) -> None:
    stage.api.get("/posts").given()
    known = {f"rest.{area}.{action}" for area, actions in ACTIONS.items() for action in actions}
    counted = set(stage.api.get("/usage").given()["actions"])
    expect({"rest.posts.list", "rest.usage.get"} <= counted, f"the counted actions are {counted}")
    expect(counted <= known, f"actions are called {counted - known}")
