"""Subscribing: what is admitted, what is told, and what changes."""

import base64
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from app.contract.enums import EventType
from app.contract.webhooks import CreatedWebhookSubscription, WebhookSubscription
from app.service.store.tables import deliveries, webhook_subscriptions
from app.service.webhooks.subscriptions import SUBSCRIPTIONS_MAX
from tests.service.running import Caller
from tests.service.test_envelope import envelope, fields
from tests.service.webhooks.conftest import Subscriber
from tests.service.webhooks.receivers import Receiver

ODD_NUMBERS = ("2130706433", "0x7f.1", "0177.0.0.1", "127.1")
URL = "https://1.1.1.1/kalends"  # a public address, so that no name must be looked up
"""Nothing is ever sent there."""


def subscribe(caller: Caller, **fields: Any) -> dict[str, Any]:
    answer = caller.http.post("/webhooks", json={"url": URL, "events": ["post.failed"], **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def test_what_creation_answers(caller: Caller) -> None:
    made = subscribe(caller, events=["post.published", "post.failed"])

    assert set(made) == set(CreatedWebhookSubscription.model_fields)
    assert (made["url"], made["events"]) == (URL, ["post.published", "post.failed"])
    assert (made["active"], made["failure_count"]) == (True, 0)
    assert (made["last_delivery_at"], made["last_disabled_at"]) == (None, None)
    assert made["created_at"] == made["updated_at"]


def test_the_secret_is_told_once_and_never_in_clear_in_the_store(caller: Caller) -> None:
    made = subscribe(caller)
    secret = made.pop("secret")

    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
    read = caller.http.get(f"/webhooks/{made['id']}")
    changed = caller.http.patch(f"/webhooks/{made['id']}", json={"active": True})
    listed = caller.http.get("/webhooks")
    assert read.json() == made
    assert set(read.json()) == set(changed.json()) == set(WebhookSubscription.model_fields)
    assert "secret" not in listed.text
    key = secret.removeprefix("whsec_").encode()
    for path in caller.service.folder.root.glob("service.db*"):
        assert key not in path.read_bytes()


def test_every_secret_is_another_one(caller: Caller) -> None:
    assert len({subscribe(caller, url=f"{URL}/{number}")["secret"] for number in range(5)}) == 5


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"url": URL}, "events"),
        ({"events": ["post.failed"]}, "url"),
        ({"url": URL, "events": []}, "events"),
        ({"url": URL, "events": ["post.failed"] * 21}, "events"),
        ({"url": URL, "events": ["post.deleted"]}, "events.0"),
        ({"url": URL, "events": ["webhook.test"]}, "events.0"),
        ({"url": URL, "events": "post.failed"}, "events"),
        ({"url": URL, "events": None}, "events"),
        ({"url": None, "events": ["post.failed"]}, "url"),
        ({"url": "http://hooks.example.com/", "events": ["post.failed"]}, "url"),
        ({"url": "ftp://hooks.example.com/", "events": ["post.failed"]}, "url"),
        ({"url": "hooks.example.com", "events": ["post.failed"]}, "url"),
        ({"url": "", "events": ["post.failed"]}, "url"),
        ({"url": "https://hooks.example.com/\n", "events": ["post.failed"]}, "url"),
        ({"url": "https://hooks.example.com/\0", "events": ["post.failed"]}, "url"),
        ({"url": "https://user:word@hooks.example.com/", "events": ["post.failed"]}, "url"),
        ({"url": "https://1.1.1.1/" + "x" * 2033, "events": ["post.failed"]}, "url"),
    ],
)
def test_what_cannot_be_subscribed(caller: Caller, body: dict[str, Any], field: str) -> None:
    answer = caller.http.post("/webhooks", json=body)

    assert answer.status_code == 400, answer.text
    assert field in fields(answer)
    assert caller.http.get("/webhooks").json()["data"] == []


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "10.1.2.3",
        "192.168.0.1",
        "169.254.169.254",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "127.0.0.1.",
        "printer.local",
    ],
)
def test_private_addresses_are_refused(caller: Caller, host: str) -> None:
    made = subscribe(caller)
    body = {"url": f"https://{host}/hook", "events": ["post.failed"]}

    refused = {"url": "url_refused" if host in ODD_NUMBERS else "private_address"}
    assert fields(caller.http.post("/webhooks", json=body)) == refused
    changed = caller.http.patch(f"/webhooks/{made['id']}", json={"url": body["url"]})
    assert fields(changed) == refused
    assert caller.http.get(f"/webhooks/{made['id']}").json()["url"] == URL


def test_the_longest_address_and_all_events_fit(caller: Caller) -> None:
    url = "https://1.1.1.1/" + "x" * 2032
    every = [event.value for event in EventType]

    made = subscribe(caller, url=url, events=every)

    assert len(made["url"]) == 2048
    assert made["events"] == every


def test_a_type_that_is_named_twice_counts_once(caller: Caller) -> None:
    twenty = ["post.failed", "post.published"] * 10

    assert subscribe(caller, events=twenty)["events"] == ["post.failed", "post.published"]


@pytest.mark.parametrize("again", ["", "#part", ":443", "upper"])
def test_a_url_is_subscribed_once(caller: Caller, again: str) -> None:
    subscribe(caller, url="https://hooks.example.com")
    other = subscribe(caller, url="https://hooks.example.com/other")
    same = {"": "https://hooks.example.com/", "#part": "https://hooks.example.com/#part"}
    same |= {":443": "https://hooks.example.com:443", "upper": "HTTPS://Hooks.Example.COM"}
    body = {"url": same[again], "events": ["post.failed"]}

    assert fields(caller.http.post("/webhooks", json=body)) == {"url": "already_subscribed"}
    changed = caller.http.patch(f"/webhooks/{other['id']}", json={"url": body["url"]})
    assert fields(changed) == {"url": "already_subscribed"}
    own = caller.http.patch(f"/webhooks/{other['id']}", json={"url": other["url"]})
    assert own.status_code == 200


def test_two_accounts_may_subscribe_the_same_url(caller: Caller) -> None:
    subscribe(caller)
    subscribe(caller.service.new_caller())


def test_an_account_has_only_so_many(caller: Caller) -> None:
    made = [subscribe(caller, url=f"{URL}/{number}") for number in range(SUBSCRIPTIONS_MAX)]
    body = {"url": f"{URL}/more", "events": ["post.failed"]}

    assert envelope(caller.http.post("/webhooks", json=body)).error.code == "forbidden"
    assert caller.http.delete(f"/webhooks/{made[0]['id']}").status_code == 200
    assert caller.http.post("/webhooks", json=body).status_code == 201


def test_the_list_is_whole_and_newest_first(caller: Caller) -> None:
    made: list[str] = []
    for _ in range(25):
        made.append(subscribe(caller, url=f"{URL}/{len(made)}")["id"])
        caller.service.clock.ahead += timedelta(milliseconds=1)

    answer = caller.http.get("/webhooks", params={"limit": "1"}).json()

    assert [one["id"] for one in answer["data"]] == made[::-1]
    assert answer["next_cursor"] is None


def test_what_others_own_does_not_exist(caller: Caller) -> None:
    stranger = caller.service.new_caller()
    made = subscribe(caller)
    path, delivery = f"/webhooks/{made['id']}", f"/webhooks/{made['id']}/deliveries/{uuid4()}/replay"

    assert stranger.http.get("/webhooks").json()["data"] == []
    for method, address in [
        ("GET", path),
        ("PATCH", path),
        ("DELETE", path),
        ("POST", f"{path}/test"),
        ("GET", f"{path}/deliveries"),
        ("POST", delivery),
        ("GET", f"/webhooks/{uuid4()}"),
        ("GET", "/webhooks/mine"),
        ("GET", f"/webhooks/{uuid4()}/deliveries"),
    ]:
        body = {"active": False} if method == "PATCH" else None
        answer = stranger.http.request(method, address, json=body)
        assert answer.status_code == 404, (method, address)
        assert answer.json()["error"]["code"] == "not_found"
    assert caller.http.post(delivery).status_code == 404
    assert caller.http.get(path).json()["active"] is True


def test_each_field_can_be_changed_alone(caller: Caller) -> None:
    made = subscribe(caller)
    path = f"/webhooks/{made['id']}"
    caller.service.clock.ahead += timedelta(milliseconds=1)

    moved = caller.http.patch(path, json={"url": "https://1.1.1.1/other"}).json()
    assert (moved["url"], moved["events"]) == ("https://1.1.1.1/other", ["post.failed"])
    assert moved["updated_at"] > made["updated_at"]
    assert moved["created_at"] == made["created_at"]
    other = caller.http.patch(path, json={"events": ["post.published", "post.published"]}).json()
    assert (other["url"], other["events"]) == ("https://1.1.1.1/other", ["post.published"])
    off = caller.http.patch(path, json={"active": False}).json()
    assert (off["active"], off["last_disabled_at"]) == (False, None)
    assert caller.http.get(path).json() == off


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, ""),
        ({"colour": "red"}, ""),
        ({"active": None}, "active"),
        ({"active": "yes"}, "active"),
        ({"url": None}, "url"),
        ({"url": "http://hooks.example.com"}, "url"),
        ({"events": []}, "events"),
        ({"events": ["webhook.test"]}, "events.0"),
        ({"active": False, "events": ["post.failed"] * 21}, "events"),
    ],
)
def test_what_cannot_be_changed(caller: Caller, body: dict[str, Any], field: str) -> None:
    made = subscribe(caller)

    answer = caller.http.patch(f"/webhooks/{made['id']}", json=body)

    assert answer.status_code == 400
    assert field in fields(answer)
    assert caller.http.get(f"/webhooks/{made['id']}").json()["active"] is True


def test_switching_on_forgets_the_failures(caller: Caller) -> None:
    made = subscribe(caller)
    disabled = {"active": False, "failure_count": 10, "last_disabled_at": caller.service.clock()}
    caller.service.database.write_now(
        lambda rows: rows.execute(webhook_subscriptions.update().values(disabled))
    )
    path = f"/webhooks/{made['id']}"
    assert caller.http.get(path).json()["failure_count"] == 10

    on = caller.http.patch(path, json={"active": True}).json()

    assert (on["active"], on["failure_count"], on["last_disabled_at"]) == (True, 0, None)


def test_deleting_takes_the_log_along(subscriber: Subscriber, receiver: Receiver) -> None:
    endpoint, other = receiver.endpoint(), receiver.endpoint()
    made, kept = subscriber.subscribe(endpoint), subscriber.subscribe(other)
    subscriber.schedule()
    endpoint.wait_for(1)
    other.wait_for(1)
    path = f"/webhooks/{made['id']}"

    gone = subscriber.caller.http.delete(path)

    assert gone.json() == {"id": made["id"], "deleted": True}
    assert subscriber.caller.http.get(path).status_code == 404
    assert subscriber.caller.http.delete(path).status_code == 404
    assert subscriber.caller.http.get(f"{path}/deliveries").status_code == 404
    left = subscriber.caller.service.database.read_now(
        lambda rows: set(rows.scalars(deliveries.select().with_only_columns(deliveries.c.subscription_id)))
    )
    assert made["id"] not in {str(one) for one in left}
    assert kept["id"] in {str(one) for one in left}
