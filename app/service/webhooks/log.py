"""The log of deliveries: what became of each attempt, and sending a past event once more."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, insert, select, update

from app.contract.enums import ErrorCode
from app.contract.webhooks import WebhookReplayResult
from app.service.api.errors import ApiError, not_found
from app.service.store.tables import deliveries, webhook_subscriptions
from app.service.webhooks.events import delivery_row
from app.service.webhooks.outcome import Sent

_OFF = "The webhook is switched off, so nothing can be replayed. Set active to true first."
_AGAIN = "The event is delivered again; a new delivery appears shortly."


def result_columns(sent: Sent) -> dict[str, Any]:
    """What is written of an attempt once it was made. Its record begins with the attempt itself."""
    ended = "delivered_at" if sent.verdict.delivered else "failed_at"
    return {
        "next_attempt_at": None,
        "status_code": sent.verdict.status_code,
        "latency_ms": sent.latency_ms,
        ended: sent.ended_at,
        "error_message": sent.verdict.problem,
        "request_headers": sent.message.headers if sent.message else None,
        "request_body": sent.message.body if sent.message else None,
        "created_at": sent.began_at,
    }


def drop_waiting(rows: Connection, subscription_id: UUID, reason: str, now: datetime) -> None:
    """Gives up what waits for a subscription and says so in the log, from where it can be replayed."""
    rows.execute(
        update(deliveries)
        .where(deliveries.c.subscription_id == subscription_id, deliveries.c.next_attempt_at.is_not(None))
        .values(next_attempt_at=None, failed_at=now, error_message=reason)
    )


def replay(
    rows: Connection, account_id: UUID, subscription_id: UUID, delivery_id: UUID, now: datetime
) -> WebhookReplayResult:
    """Dispatches the event of a past delivery anew: the same event, a delivery of its own, due at once.

    Raises ApiError: 404 when the account has no such delivery, 403 when the subscription is not active.
    """
    past = rows.execute(
        select(deliveries.c.event_id, deliveries.c.event_type, webhook_subscriptions.c.active)
        .join(webhook_subscriptions, webhook_subscriptions.c.id == deliveries.c.subscription_id)
        .where(
            deliveries.c.id == delivery_id,
            deliveries.c.subscription_id == subscription_id,
            webhook_subscriptions.c.account_id == account_id,
        )
    ).one_or_none()
    if past is None:
        raise not_found("delivery")
    if not past.active:
        raise ApiError(ErrorCode.FORBIDDEN, _OFF)
    attempt = next_attempt(rows, subscription_id, past.event_id)
    again = delivery_row(subscription_id, past.event_id, past.event_type, now, attempt=attempt)
    rows.execute(insert(deliveries).values(again))
    return WebhookReplayResult(
        subscription_id=subscription_id,
        original_delivery_id=delivery_id,
        event_type=past.event_type,
        message=_AGAIN,
    )


def next_attempt(rows: Connection, subscription_id: UUID, event_id: UUID) -> int:
    """The number of the next attempt to tell a subscription of an event: they are counted through."""
    highest: int | None = rows.scalar(
        select(func.max(deliveries.c.attempt)).where(
            deliveries.c.event_id == event_id, deliveries.c.subscription_id == subscription_id
        )
    )
    return (highest or 0) + 1
