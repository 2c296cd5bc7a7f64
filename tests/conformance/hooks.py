"""Deliveries at an inbox and in the delivery log."""

from tests.conformance.outcome import expect
from tests.conformance.receiver import Arrived, Inbox
from tests.conformance.shapes import check_page
from tests.conformance.stage import Fields, Stage

RECORD = "Webhook delivery record"
ATTEMPTS = 4
"""One delivery and its three retries."""


def came(stage: Stage, inbox: Inbox, about: str) -> Arrived:
    """Return the first delivery with this ID. Raises BrokenError if there is none."""
    found = inbox.wait(lambda one: about in one.raw.decode(), 1, stage.target.patience_s)
    expect(found, f"no event came about {about}")
    return found[0]


def plan(stage: Stage, inbox: Inbox, arrivals: int = 1) -> list[Arrived]:
    """Schedule posts and wait for their events; return the deliveries."""
    post_id = stage.planned()["id"]
    came = inbox.wait(lambda one: post_id in one.raw.decode(), arrivals, stage.target.patience_s)
    expect(len(came) >= arrivals, f"{len(came)} of {arrivals} requests came for one event")
    return came


def log(stage: Stage, subscription: Fields) -> list[Fields]:
    """Return the delivery log, with each record checked."""
    page = stage.api.get(f"/webhooks/{subscription['id']}/deliveries", limit=100).given()
    return check_page(RECORD, page)


def recorded(stage: Stage, subscription: Fields, event_id: str, count: int) -> list[Fields]:
    """Return the records of an event, oldest first, once all are there and final."""

    def records() -> list[Fields]:
        return [one for one in log(stage, subscription)[::-1] if one["event_id"] == event_id]

    def settled(found: list[Fields]) -> bool:
        return len(found) >= count and all(one["delivered_at"] or one["failed_at"] for one in found)

    return stage.wait_for(f"{count} records of an event", records, settled)


def now(stage: Stage, subscription: Fields) -> Fields:
    found: Fields = stage.api.get(f"/webhooks/{subscription['id']}").given()
    return found
