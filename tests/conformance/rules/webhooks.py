"""Webhook subscriptions: fields, creating, changing, deleting."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from tests.conformance.addresses import PRIVATE
from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape, moment
from tests.conformance.stage import ALL_EVENTS, Fields, Stage

WEBHOOKS = "Webhooks"
SUBSCRIPTION = "Webhook subscription"
DELETED = "Webhook delete result"
EVENTS = "Events"
SLACK = timedelta(minutes=5)
WITHOUT_SECRET = frozenset({"secret"})


def all_of(stage: Stage) -> list[Fields]:
    """Return all subscriptions, whether the list is bare or in ``data``."""
    body = stage.api.get("/webhooks").given()
    found: list[Fields] = body if isinstance(body, list) else body["data"]
    return found


@rule(
    SUBSCRIPTION,
    *rows(SUBSCRIPTION),
    also={WEBHOOKS: ["Returns the subscription plus secret", "One subscription, without the secret"]},
)
def subscriptions_have_the_fields_of_their_table(stage: Stage) -> None:
    created = stage.subscribe(stage.inbox())
    check_shape(SUBSCRIPTION, created)
    path = f"/webhooks/{created['id']}"
    for one in (stage.api.get(path).given(), stage.api.patch(path, {"active": True}).given(), *all_of(stage)):
        check_shape(SUBSCRIPTION, one, leave=WITHOUT_SECRET)


@rule(
    SUBSCRIPTION, "Subscription id", "Destination HTTPS endpoint", "Subscribed event types", "Creation time"
)
def a_subscription_holds_what_it_was_created_with(stage: Stage) -> None:
    inbox = stage.inbox()
    created = stage.subscribe(inbox, "post.failed", "post.published")
    found = stage.api.get(f"/webhooks/{created['id']}").given()
    same((found["id"], found["url"]), (created["id"], inbox.url), "id and url")
    same(sorted(found["events"]), ["post.failed", "post.published"], "events")
    expect(
        abs(moment(found["created_at"]) - datetime.now(UTC)) < SLACK, f"created_at is {found['created_at']}"
    )
    same((found["active"], found["failure_count"]), (True, 0), "active and failure_count of a new one")
    same((found["last_delivery_at"], found["last_disabled_at"]), (None, None), "its times of delivery")


@rule(
    SUBSCRIPTION,
    "Only in the create response",
    "Starts with whsec_",
    "Returned exactly once",
    also={EVENTS: ["The secret is returned only in the create response"]},
)
def the_secret_is_in_the_create_response_alone(stage: Stage) -> None:
    created = stage.subscribe(stage.inbox())
    expect(created["secret"].startswith("whsec_"), "the secret does not start with whsec_")
    expect(len(created["secret"]) >= 24, "the secret is short enough to be guessed")
    path = f"/webhooks/{created['id']}"
    later = [stage.api.get(path), stage.api.get("/webhooks"), stage.api.patch(path, {"active": True})]
    later += [stage.api.post(f"{path}/test"), stage.api.get(f"{path}/deliveries")]
    for answer in later:
        answer.given()
        expect(created["secret"] not in answer.text, f"{answer.call} tells the secret")
        expect('"secret"' not in answer.text, f"{answer.call} has a field called secret")
    other = stage.subscribe(stage.inbox())
    expect(other["secret"] != created["secret"], "two subscriptions share a secret")


@rule(
    SUBSCRIPTION,
    "Last update time",
    also={WEBHOOKS: ["Body with any of url, events (replacement list"]},
    alone=True,
)
def each_field_can_be_changed_by_itself(stage: Stage) -> None:
    created, inbox = stage.subscribe(stage.inbox()), stage.inbox()
    path = f"/webhooks/{created['id']}"
    wanted: list[Fields] = [{"url": inbox.url}, {"events": ["post.failed"]}, {"active": False}]
    expected = {name: value for name, value in created.items() if name != "secret"}
    for change in wanted:
        changed = stage.api.patch(path, change).given()
        expected = {**expected, **change, "updated_at": changed["updated_at"]}
        same(changed, expected, "the changed subscription")
        same(stage.api.get(path).given(), expected, "the subscription by its id")
    expect(moment(expected["updated_at"]) > moment(created["updated_at"]), "updated_at did not move")
    together = stage.api.patch(path, {"events": list(ALL_EVENTS), "active": True}).given()
    same((sorted(together["events"]), together["active"]), (sorted(ALL_EVENTS), True), "events and active")


@rule(WEBHOOKS, "at least one required", "Body with any of url, events (replacement list")
def a_change_needs_a_field_and_its_rules_hold(stage: Stage) -> None:
    created = stage.subscribe(stage.inbox())
    path = f"/webhooks/{created['id']}"
    stage.api.patch(path, {}).refused("validation_error")
    for field, wrong in (("url", 7), ("url", "http://example.com/hook"), ("url", None), ("url", "hook")):
        stage.api.patch(path, {field: wrong}).names(field)
    for events in ([], ["post.lost"], "post.failed", ["post.failed"] * 21, None):
        stage.api.patch(path, {"events": events}).names("events")
    for active in ("yes", 1, None):
        stage.api.patch(path, {"active": active}).names("active")
    stage.api.patch(path, {"events": ["post.failed"]}).given()


@rule(
    WEBHOOKS,
    "Body {url (required, HTTPS, max 2048 chars, private addresses rejected), events (required",
    also={"Limits": ["Webhook url · Max 2048 characters"], EVENTS: ["Subscription URLs must be HTTPS"]},
)
def a_subscription_needs_an_https_url_of_at_most_2048_characters(stage: Stage) -> None:
    inbox = stage.inbox()
    start = f"{inbox.url}?q="
    longest = {"url": start + "x" * (2048 - len(start)), "events": ["post.failed"]}
    created = stage.api.post("/webhooks", longest).given()
    same(stage.api.get(f"/webhooks/{created['id']}").given()["url"], longest["url"], "a long url")
    stage.api.delete(f"/webhooks/{created['id']}").given()
    too_long = start + "x" * (2049 - len(start))
    for url in (too_long, inbox.url.replace("https:", "http:"), "ftp://example.com/", "hook", "", 7, None):
        stage.api.post("/webhooks", {"url": url, "events": ["post.failed"]}).names("url")
    stage.api.post("/webhooks", {"events": ["post.failed"]}).names("url")


@rule(
    WEBHOOKS,
    "Body {url (required, HTTPS, max 2048 chars, private addresses rejected), events (required",
    also={EVENTS: ["Subscription URLs must be HTTPS and not a private address"]},
)
def private_addresses_are_rejected(stage: Stage) -> None:
    strict = stage.client("strict")
    public = {"url": "https://93.184.215.14/hook", "events": ["post.failed"]}
    created = strict.post("/webhooks", public).given()
    for url in PRIVATE:
        strict.post("/webhooks", {**public, "url": url}).names("url")
        strict.patch(f"/webhooks/{created['id']}", {"url": url}).names("url")
    strict.delete(f"/webhooks/{created['id']}").given()


@rule(
    WEBHOOKS,
    "Body {url (required, HTTPS, max 2048 chars, private addresses rejected), events (required",
    also={"Limits": ["Webhook events · 1 to 20 types"]},
)
def a_subscription_has_1_to_20_known_events(stage: Stage) -> None:
    url = stage.inbox().url
    for event in ALL_EVENTS:
        created = stage.api.post("/webhooks", {"url": url, "events": [event]}).given()
        same(created["events"], [event], "events")
        stage.api.delete(f"/webhooks/{created['id']}").given()
    for events in ([], ["post.lost"], "post.failed", None, [7], [*ALL_EVENTS] * 4 + ["post.failed"]):
        stage.api.post("/webhooks", {"url": url, "events": events}).names("events")
    stage.api.post("/webhooks", {"url": url}).names("events")
    most = stage.api.post("/webhooks", {"url": url, "events": [*ALL_EVENTS] * 4}).given()
    same(set(most["events"]), set(ALL_EVENTS), "the events of a list of 20 with repetitions")
    stage.api.delete(f"/webhooks/{most['id']}").given()


@rule(WEBHOOKS, "All subscriptions of the account, newest first, not paginated", alone=True)
def all_subscriptions_are_listed_newest_first_on_one_page(stage: Stage) -> None:
    made = [stage.subscribe(stage.inbox())["id"] for _ in range(23)]
    ids = [one["id"] for one in all_of(stage)]
    same([one for one in ids if one in made], made[::-1], "the order of subscriptions")


@rule(
    WEBHOOKS,
    "One subscription, without the secret",
    also={"Authentication": ["Resources of other accounts are reported as 404"]},
)
def a_subscription_of_another_account_is_not_found(stage: Stage) -> None:
    other, created = stage.client("other"), stage.subscribe(stage.inbox())
    path = f"/webhooks/{created['id']}"
    other.get(path).refused("not_found")
    other.patch(path, {"active": False}).refused("not_found")
    other.post(f"{path}/test").refused("not_found")
    other.get(f"{path}/deliveries").refused("not_found")
    other.post(f"{path}/deliveries/{uuid4()}/replay").refused("not_found")
    other.delete(path).refused("not_found")
    expect(created["id"] not in other.get("/webhooks").text, "the subscription is listed for others")
    stage.api.get(path).given()


@rule(
    DELETED,
    *rows(DELETED),
    "Deleted subscription",
    "Always true on success",
    also={
        WEBHOOKS: [
            "Deletes the subscription and its delivery history",
            "irreversible",
            "Returns the webhook delete result",
        ]
    },
    alone=True,
)
def deleting_removes_the_subscription_with_its_deliveries(stage: Stage) -> None:
    created = stage.subscribe(stage.inbox())
    path = f"/webhooks/{created['id']}"
    stage.api.post(f"{path}/test").given()
    result = stage.api.delete(path).given()
    check_shape(DELETED, result)
    same(result, {**result, "id": created["id"], "deleted": True}, "the result")
    stage.api.get(path).refused("not_found")
    stage.api.get(f"{path}/deliveries").refused("not_found")
    stage.api.patch(path, {"active": True}).refused("not_found")
    stage.api.delete(path).refused("not_found")
