"""Texts about webhooks."""

from datetime import datetime
from typing import Final, Literal
from zoneinfo import ZoneInfo

from app.contract.enums import EventType
from app.contract.limits import WEBHOOK_RETRIES
from app.contract.webhooks import WebhookDelivery, WebhookSubscription, WebhookTestResult
from app.desktop.words import clock, day
from app.language import number, tr, trn
from app.workspace.foreign_texts import in_own_language

Tone = Literal["ok", "warn", "bad", "text3"]

EVENTS: Final = {
    EventType.POST_SCHEDULED: tr("A post is scheduled"),
    EventType.POST_PUBLISHED: tr("A post is published"),
    EventType.POST_FAILED: tr("A post failed"),
    EventType.CONNECTION_CONNECTED: tr("An account is connected"),
    EventType.CONNECTION_EXPIRED: tr("An account's access expires"),
}
_ATTEMPTS: Final = 1 + WEBHOOK_RETRIES


def address(url: str) -> str:
    """Return a URL without its scheme."""
    return url.removeprefix("https://").rstrip("/")


def when(moment: datetime, zone: ZoneInfo, *, seconds: bool = False) -> str:
    """Return ``today 08:52`` or ``Fri 20 Nov 18:30``, with the year unless it is the current one."""
    here, now = moment.astimezone(zone), datetime.now(zone)
    time = f"{here:%H:%M:%S}" if seconds else clock(here)
    if here.date() == now.date():
        return tr("today {time}", time=time)
    year = "" if here.year == now.year else f" {here.year}"
    return f"{day(here)}{year} {time}"


def health(webhook: WebhookSubscription, zone: ZoneInfo) -> tuple[Tone, str]:
    """Return the health of a webhook and the time of its last delivery."""
    tone, *words = standing(webhook, zone)
    return tone, ", ".join(filter(None, words))


def standing(webhook: WebhookSubscription, zone: ZoneInfo) -> tuple[Tone, str, str]:
    """Return the health of a webhook, and since when, or "" if the first part contains it."""
    failures, last = webhook.failure_count, webhook.last_delivery_at
    if not webhook.active and webhook.last_disabled_at is not None:
        words = trn("Disabled after {n} failure", "Disabled after {n} failures", failures)
        return "bad", words, when(webhook.last_disabled_at, zone)
    if not webhook.active:
        return "bad", tr("Disabled"), ""
    if failures > 0:
        words = trn("{n} failure in a row", "{n} failures in a row", failures)
        return "warn", words, tr("Last {when}", when=when(last, zone)) if last else ""
    if last is None:
        return "text3", tr("Nothing sent yet"), ""
    return "ok", tr("Delivered {when}", when=when(last, zone)), ""


def spoken(webhook: WebhookSubscription, zone: ZoneInfo) -> str:
    """Return everything that a row shows."""
    return f"{address(webhook.url)}. {health(webhook, zone)[1]}. {', '.join(webhook.events)}"


def summary(webhooks: tuple[WebhookSubscription, ...]) -> str:
    """Return ``4, one disabled``."""
    off = sum(not one.active for one in webhooks)
    return (
        trn("{all}, one disabled", "{all}, {n} disabled", off, all=len(webhooks))
        if off
        else number(len(webhooks))
    )


def attempt(record: WebhookDelivery) -> str:
    """Return ``2 of 4``. Replays count on."""
    return (
        tr("{number} of {count}", number=record.attempt, count=_ATTEMPTS)
        if 1 <= record.attempt <= _ATTEMPTS
        else f"{record.attempt}"
    )


def status(record: WebhookDelivery) -> tuple[Tone, str]:
    """Return the endpoint's response in a word."""
    is_delivered = record.delivered_at is not None
    word = (
        str(record.status_code)
        if record.status_code is not None
        else tr("OK")
        if is_delivered
        else tr("none")
    )
    return ("ok" if is_delivered else "bad"), word


def latency(milliseconds: float | None) -> str:
    """Return ``84 ms``; empty if unknown."""
    return f"{number(milliseconds)} ms" if milliseconds is not None else ""


def test_words(result: WebhookTestResult) -> tuple[Tone, str]:
    """Return the result of a test, as short as possible."""
    tone: Tone = "ok" if _is_delivered(result) else "bad"
    if result.status_code is None:
        return tone, tr("Delivered") if tone == "ok" else tr("No response")
    return tone, tr(
        "{status_code} in {latency}", status_code=result.status_code, latency=latency(result.latency_ms)
    )


def test_problem(result: WebhookTestResult) -> str:
    """Return why a test was not delivered, as a sentence; empty if it was."""
    if _is_delivered(result):
        return ""
    answered = (
        tr("The endpoint responded with {status_code}.", status_code=result.status_code)
        if result.status_code
        else tr("No response received.")
    )
    said = in_own_language(result.error_message or "")
    return tr("Test not delivered. {why}", why=said or answered)


def _is_delivered(result: WebhookTestResult) -> bool:
    return result.delivered_at is not None and not result.error_message


def delivery_spoken(record: WebhookDelivery, zone: ZoneInfo) -> str:
    """Return everything that a row of the log shows."""
    parts = (
        when(record.created_at, zone, seconds=True),
        record.event_type,
        tr("attempt {attempt}", attempt=attempt(record)),
        tr("status {status}", status=status(record)[1]),
        latency(record.latency_ms),
        in_own_language(record.error_message or ""),
        tr("event {event_id}", event_id=record.event_id),
    )
    return ", ".join(filter(None, parts))
