"""Webhooks in a person's words."""

from datetime import datetime
from typing import Final, Literal
from zoneinfo import ZoneInfo

from app.contract.enums import EventType
from app.contract.limits import WEBHOOK_RETRIES
from app.contract.webhooks import WebhookDelivery, WebhookSubscription, WebhookTestResult
from app.desktop.words import clock, counted, day

Tone = Literal["ok", "warn", "bad", "text3"]

EVENTS: Final = {
    EventType.POST_SCHEDULED: "A post is planned",
    EventType.POST_PUBLISHED: "A post is out",
    EventType.POST_FAILED: "A post failed for good",
    EventType.CONNECTION_CONNECTED: "An account is connected",
    EventType.CONNECTION_EXPIRED: "The access of an account ends",
}
_ATTEMPTS: Final = 1 + WEBHOOK_RETRIES


def address(url: str) -> str:
    """An address without what all have in common."""
    return url.removeprefix("https://").rstrip("/")


def when(moment: datetime, zone: ZoneInfo, *, seconds: bool = False) -> str:
    """``today 08:52``, ``Fri 20 Nov 18:30``; with the year where that is not this one."""
    here, now = moment.astimezone(zone), datetime.now(zone)
    time = f"{here:%H:%M:%S}" if seconds else clock(here)
    if here.date() == now.date():
        return f"today {time}"
    year = "" if here.year == now.year else f" {here.year}"
    return f"{day(here)}{year} {time}"


def health(webhook: WebhookSubscription, zone: ZoneInfo) -> tuple[Tone, str]:
    """How a subscription stands, and when something was delivered last."""
    last = f", last {when(webhook.last_delivery_at, zone)}" if webhook.last_delivery_at else ""
    if not webhook.active and webhook.last_disabled_at is not None:
        at = when(webhook.last_disabled_at, zone)
        return "bad", f"Disabled after {counted(webhook.failure_count, 'failure')}, {at}"
    if not webhook.active:
        return "bad", "Switched off"
    if webhook.failure_count > 0:
        return "warn", f"{counted(webhook.failure_count, 'failure')} in a row{last}"
    if webhook.last_delivery_at is None:
        return "text3", "Nothing was sent yet"
    return "ok", f"Delivered {when(webhook.last_delivery_at, zone)}"


def spoken(webhook: WebhookSubscription, zone: ZoneInfo) -> str:
    """Everything that a row shows."""
    return f"{address(webhook.url)}. {health(webhook, zone)[1]}. {', '.join(webhook.events)}"


def summary(webhooks: tuple[WebhookSubscription, ...]) -> str:
    """``4, one disabled``."""
    off = sum(not one.active for one in webhooks)
    return f"{len(webhooks)}" + (f", {'one' if off == 1 else off} disabled" if off else "")


def attempt(record: WebhookDelivery) -> str:
    """``2 of 4``; what was replayed counts further."""
    return f"{record.attempt} of {_ATTEMPTS}" if 1 <= record.attempt <= _ATTEMPTS else f"{record.attempt}"


def status(record: WebhookDelivery) -> tuple[Tone, str]:
    """The answer of the endpoint, in a word."""
    is_delivered = record.delivered_at is not None
    word = str(record.status_code) if record.status_code is not None else "OK" if is_delivered else "none"
    return ("ok" if is_delivered else "bad"), word


def latency(milliseconds: float | None) -> str:
    """``84 ms``; empty where nobody measured it."""
    return f"{milliseconds:,.0f} ms" if milliseconds is not None else ""


def test_words(result: WebhookTestResult) -> tuple[Tone, str]:
    """What came of a test, as short as can be."""
    tone: Tone = "ok" if _is_delivered(result) else "bad"
    if result.status_code is None:
        return tone, "Delivered" if tone == "ok" else "No answer"
    return tone, f"{result.status_code} in {latency(result.latency_ms)}"


def test_problem(result: WebhookTestResult) -> str:
    """Why a test was not delivered, as a sentence; empty where it was."""
    if _is_delivered(result):
        return ""
    answered = f"The endpoint answered {result.status_code}." if result.status_code else "No answer came."
    return f"The test was not delivered. {result.error_message or answered}"


def _is_delivered(result: WebhookTestResult) -> bool:
    return result.delivered_at is not None and not result.error_message


def delivery_spoken(record: WebhookDelivery, zone: ZoneInfo) -> str:
    """Everything that a row of the log shows."""
    parts = (
        when(record.created_at, zone, seconds=True),
        record.event_type,
        f"attempt {attempt(record)}",
        f"status {status(record)[1]}",
        latency(record.latency_ms),
        record.error_message or "",
        f"event {record.event_id}",
    )
    return ", ".join(filter(None, parts))
