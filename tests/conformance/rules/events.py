"""Deliveries: recipients, body, headers, signature."""

import hashlib
import hmac
import re

from tests.conformance.document import rows
from tests.conformance.hooks import came, plan
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import moment
from tests.conformance.stage import ALL_EVENTS, Stage, person

EVENTS = "Events"
BODY = rows(EVENTS, "event_type", "event_id", "delivery_id", "created_at", "data")


@rule(
    EVENTS,
    "The service sends an HTTPS POST with a JSON body to each active subscription",
    also={"What the service does": ["It sends signed HTTPS webhook notifications"]},
    alone=True,
)
def an_event_goes_to_each_active_subscription_that_asked_for_it(stage: Stage) -> None:
    first, second, elsewhere, inactive = (stage.inbox() for _ in range(4))
    stage.subscribe(first, "post.scheduled")
    stage.subscribe(second, *ALL_EVENTS)
    stage.subscribe(elsewhere, "post.failed", "post.published")
    paused = stage.subscribe(inactive, "post.scheduled")
    stage.api.patch(f"/webhooks/{paused['id']}", {"active": False}).given()
    post_id = stage.planned()["id"]
    for inbox in (first, second):
        same(came(stage, inbox, post_id).method, "POST", "the method")
    plan(stage, first)
    same(
        len(elsewhere.events(lambda one: post_id in one.raw.decode())),
        0,
        "deliveries of events not asked for",
    )
    same(len(inactive.events(lambda _one: True)), 0, "deliveries to an inactive subscription")


@rule(EVENTS, "post.scheduled · A post is successfully scheduled", alone=True)
def scheduling_fires_once_and_a_refused_post_not_at_all(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.scheduled")
    refused = stage.text_post(title="x" * 501)
    stage.api.post("/posts", refused).refused("validation_error")
    post_id = stage.planned()["id"]
    same(came(stage, inbox, post_id).body["event_type"], "post.scheduled", "event_type")
    plan(stage, inbox)
    same(len(inbox.events(lambda one: post_id in one.raw.decode())), 1, "the number of events of one post")


@rule(
    EVENTS,
    "post.published · A post is published to a social platform",
    "For post.published it carries at least post_id and platform",
    alone=True,
)
def publishing_fires_with_post_and_platform(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.published")
    post = stage.published()
    data = came(stage, inbox, post["id"]).body["data"]
    same((data.get("post_id"), data.get("platform")), (post["id"], post["platform"]), "post_id and platform")


@rule(EVENTS, "post.failed · Publishing a post fails", "data · Event-specific fields", alone=True)
def a_failure_fires(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.failed")
    body = came(stage, inbox, stage.failed()["id"]).body
    same((body["event_type"], type(body["data"])), ("post.failed", dict), "event_type and data")


@rule(
    EVENTS,
    "connection.connected · An OAuth flow completes",
    also={"States and transitions": ["Completion emits connection.connected"]},
    alone=True,
)
def connecting_fires(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "connection.connected")
    account = stage.fresh_connection()
    same(came(stage, inbox, account["id"]).body["event_type"], "connection.connected", "event_type")


@rule(EVENTS, "connection.connected · An OAuth flow completes", alone=True)
def a_denied_flow_fires_nothing(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "connection.connected")
    started = stage.api.post("/connections/initiate", {"platform": "linkedin"}).given()
    stage.practice.consent(started["connect_url"], person(), "deny")
    came(stage, inbox, stage.fresh_connection()["id"])
    denied = started["connection_id"]
    same(len(inbox.events(lambda one: denied in one.raw.decode())), 0, "the number of events")


@rule(
    EVENTS,
    "connection.expired · An account token expires",
    also={"States and transitions": ["an unrefreshable expired token emits connection.expired"]},
    alone=True,
)
def an_expired_account_fires(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "connection.expired")
    account = stage.expired_connection("pinterest")
    same(came(stage, inbox, account["id"]).body["event_type"], "connection.expired", "event_type")


@rule(
    EVENTS,
    *BODY,
    "event_type · Event type",
    "event_id · Event identifier",
    "delivery_id · Delivery identifier",
    "created_at · ISO 8601 time",
    "Delivery body",
    alone=True,
)
def a_delivery_has_the_fields_of_its_body(stage: Stage) -> None:
    inbox, other = stage.inbox(), stage.inbox()
    for one in (inbox, other):
        stage.subscribe(one, "post.scheduled")
    post_id = stage.planned()["id"]
    bodies = [came(stage, one, post_id).body for one in (inbox, other)]
    for body in bodies:
        same(body["event_type"], "post.scheduled", "event_type")
        for name in ("event_id", "delivery_id"):
            expect(isinstance(body[name], str) and body[name], f"{name} is {body[name]!r}")
        moment(body["created_at"])
        expect(isinstance(body["data"], dict), f"data is {body['data']!r}")
    same(bodies[0]["event_id"], bodies[1]["event_id"], "the event id at two subscriptions")
    expect(bodies[0]["delivery_id"] != bodies[1]["delivery_id"], "two deliveries share an id")


@rule(
    EVENTS,
    "Delivery request headers",
    "Content-Type · application/json",
    "X-Service-Event · The event type",
    "X-Service-Delivery · The delivery id",
    "User-Agent · Service-Webhook/1.0",
    alone=True,
)
def a_delivery_has_the_headers_of_its_table(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.scheduled")
    one = plan(stage, inbox)[0]
    same(one.headers["Content-Type"].partition(";")[0], "application/json", "Content-Type")
    same(one.headers["X-Service-Event"], one.body["event_type"], "X-Service-Event")
    same(one.headers["X-Service-Delivery"], one.body["delivery_id"], "X-Service-Delivery")
    same(one.headers["User-Agent"], "Service-Webhook/1.0", "User-Agent")


@rule(
    EVENTS,
    "X-Service-Signature · sha256=<hex>",
    "Signature verification: read the raw body",
    also={"Authentication": ["Webhook deliveries are authenticated by an HMAC signature"]},
    alone=True,
)
def the_signature_is_the_hmac_of_the_raw_body_with_the_secret(stage: Stage) -> None:
    inbox, other = stage.inbox(), stage.inbox()
    secret = stage.subscribe(inbox, "post.scheduled")["secret"]
    stage.subscribe(other, "post.scheduled")
    one = plan(stage, inbox)[0]
    signature = one.headers["X-Service-Signature"]
    expect(re.fullmatch(r"sha256=[0-9a-f]{64}", signature), f"the signature is {signature!r}")
    right = hmac.new(secret.encode(), one.raw, hashlib.sha256).hexdigest()
    expect(hmac.compare_digest(signature, f"sha256={right}"), "the signature is not the one of the raw body")
    wrong = hmac.new(secret.encode(), one.raw + b" ", hashlib.sha256).hexdigest()
    expect(signature != f"sha256={wrong}", "the signature also fits a tampered body")


@rule(EVENTS, "X-Service-Signature · sha256=<hex>", alone=True)
def tests_and_replays_are_signed_like_every_delivery(stage: Stage) -> None:
    inbox = stage.inbox()
    subscription = stage.subscribe(inbox)
    tested = stage.api.post(f"/webhooks/{subscription['id']}/test").given()
    stage.api.post(f"/webhooks/{subscription['id']}/deliveries/{tested['delivery_id']}/replay").given()
    came_in = inbox.wait(lambda one: one.body["event_type"] == "webhook.test", 2, stage.target.patience_s)
    same(len(came_in), 2, "the number of deliveries")
    for one in came_in:
        right = hmac.new(subscription["secret"].encode(), one.raw, hashlib.sha256).hexdigest()
        same(one.headers["X-Service-Signature"], f"sha256={right}", "X-Service-Signature")
