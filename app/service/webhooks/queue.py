"""SQL for deliveries: claims, results and pruning. The table is both the queue and the log."""

import random
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from app.contract.enums import ErrorCode
from app.contract.webhooks import WebhookReplayResult
from app.service.accounts.moves import is_here
from app.service.api.responses import ApiError, not_found
from app.service.store.tables import deliveries, events, webhook_subscriptions
from app.service.webhooks.events import delivery_row
from app.service.webhooks.sender import Due, Health, Roll, Sent, longest_wait, retry_at

_OFF = "The webhook is switched off, so nothing can be replayed. Set active to true first."
_AGAIN = "The event is delivered again; a new delivery appears shortly."

_log = structlog.get_logger(__name__)

DISABLED: Final = (
    "Not sent: the webhook was switched off after too many failures in a row. "
    "Switch it on and replay this delivery."
)
"""Logged for pending deliveries when their webhook was disabled."""

_subscriptions = webhook_subscriptions


def result_columns(sent: Sent) -> dict[str, Any]:
    """Return the columns to write after an attempt was made."""
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
    """Cancel a subscription's pending deliveries, logging the reason. They can be replayed."""
    rows.execute(
        update(deliveries)
        .where(deliveries.c.subscription_id == subscription_id, deliveries.c.next_attempt_at.is_not(None))
        .values(next_attempt_at=None, failed_at=now, error_message=reason)
    )


def replay(
    rows: Connection, account_id: UUID, subscription_id: UUID, delivery_id: UUID, now: datetime
) -> WebhookReplayResult:
    """Deliver a past event again immediately: the same event, in a new delivery.

    Raises ApiError: 404 if the account has no such delivery, 403 if the subscription isn't active.
    """
    past = rows.execute(
        select(deliveries.c.event_id, deliveries.c.event_type, webhook_subscriptions.c.active)
        .join(webhook_subscriptions, webhook_subscriptions.c.id == deliveries.c.subscription_id)
        .where(
            deliveries.c.id == delivery_id,
            deliveries.c.subscription_id == subscription_id,
            webhook_subscriptions.c.account_id == account_id,
        )
        .with_for_update(read=True, key_share=True, of=webhook_subscriptions)  # waits for lock_for_end
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
    """Return the number of an event's next attempt for a subscription; replays count too."""
    highest: int | None = rows.scalar(
        select(func.max(deliveries.c.attempt)).where(
            deliveries.c.event_id == event_id, deliveries.c.subscription_id == subscription_id
        )
    )
    return (highest or 0) + 1


@dataclass(frozen=True, slots=True)
class Claimant:
    """A worker's id, its lease, and its retry schedule."""

    owner: UUID
    lease: timedelta
    backoff: Sequence[float]
    roll: Roll = random.random


IS_SERVED: Final = and_(_subscriptions.c.active, is_here(_subscriptions.c.account_id))
"""Condition on subscriptions: they get deliveries here. Others must not seem to have work."""
_SOONEST = (
    select(deliveries.c.next_attempt_at)
    .join(_subscriptions, _subscriptions.c.id == deliveries.c.subscription_id)
    .where(deliveries.c.next_attempt_at.is_not(None), IS_SERVED)
    .order_by(deliveries.c.next_attempt_at)
    .limit(1)
)


def next_moment(rows: Connection) -> datetime | None:
    """When the next delivery is due; None if none is pending."""
    due: datetime | None = rows.scalar(_SOONEST)
    return due


def claim(
    rows: Connection, by: Claimant, now: datetime, limit: int, busy: Collection[UUID] = ()
) -> list[Due]:
    """Claim subscriptions with due deliveries, those served longest ago first.

    Skips subscriptions in ``busy``, which have a turn in this process. Their claims may have expired, for
    example because the clock was set.
    """
    waits = select(deliveries.c.id).where(
        deliveries.c.subscription_id == _subscriptions.c.id, deliveries.c.next_attempt_at <= now
    )
    free = (
        select(_subscriptions.c.id)
        .where(IS_SERVED, waits.exists(), _subscriptions.c.id.not_in(busy))
        .where(or_(_subscriptions.c.claimed_until.is_(None), _subscriptions.c.claimed_until <= now))
        .order_by(_subscriptions.c.last_delivery_at.asc().nulls_first())
        .limit(limit)
        # FOR KEY SHARE, so that new deliveries aren't blocked
        .with_for_update(skip_locked=True, key_share=True)
        .cte("free")
    )
    taken = rows.scalars(
        update(_subscriptions)
        .where(_subscriptions.c.id.in_(select(free.c.id)))
        .values(claimed_by=by.owner, claimed_until=now + by.lease)
        .returning(_subscriptions.c.id)
    ).all()
    return [due for subscription_id in taken if (due := _next(rows, by, subscription_id, now))]


def settle(rows: Connection, by: Claimant, due: Due, sent: Sent, *, go_on: bool) -> Due | None:
    """Record an attempt and its consequences; return the subscription's next delivery.

    Returns None if there isn't one, the turn is over (``go_on`` is False), or the subscription was deleted.
    """
    _lock(rows, due.subscription_id)
    unrecorded = deliveries.c.id == due.id, deliveries.c.latency_ms.is_(None)
    before = rows.execute(select(deliveries.c.next_attempt_at).where(*unrecorded)).one_or_none()
    if before is not None:
        # Cancelled during the attempt, but it was sent nevertheless.
        was_dropped = before.next_attempt_at is None
        result = {"failed_at": None, **result_columns(sent)}
        rows.execute(update(deliveries).where(*unrecorded).values(result))
        _conclude(rows, by, due, sent, may_retry=not was_dropped)
    following = _next(rows, by, due.subscription_id, sent.ended_at) if go_on else None
    if following is None:
        release(rows, by, due.subscription_id)
    return following


def release(rows: Connection, by: Claimant, subscription_id: UUID) -> None:
    """End a turn, if the claim is still held."""
    rows.execute(
        update(_subscriptions)
        .where(_subscriptions.c.id == subscription_id, _subscriptions.c.claimed_by == by.owner)
        .values(claimed_by=None, claimed_until=None)
    )


def release_all(rows: Connection, owner: UUID | None = None) -> None:
    """End every turn of ``owner``; without one, all turns. Only for the sole process of a database."""
    claimed = _subscriptions.c.claimed_by == owner if owner else _subscriptions.c.claimed_by.is_not(None)
    rows.execute(update(_subscriptions).where(claimed).values(claimed_by=None, claimed_until=None))


def release_others(rows: Connection, owner: UUID, kept: Collection[UUID]) -> None:
    """End every turn of ``owner`` except those of ``kept``; skips subscriptions that are being changed."""
    others = (
        select(_subscriptions.c.id)
        .where(_subscriptions.c.claimed_by == owner, _subscriptions.c.id.not_in(kept))
        .with_for_update(skip_locked=True, key_share=True)
    )
    ended = update(_subscriptions).where(_subscriptions.c.id.in_(others))
    rows.execute(ended.values(claimed_by=None, claimed_until=None))


def move_back(rows: Connection, by: Claimant, now: datetime) -> None:
    """Bring forward times written by a clock that was ahead, which would otherwise delay deliveries."""
    longest = timedelta(seconds=longest_wait(by.backoff))
    waits = deliveries.c.next_attempt_at
    rows.execute(update(deliveries).where(waits > now + longest).values(next_attempt_at=now))
    until = _subscriptions.c.claimed_until
    rows.execute(update(_subscriptions).where(until > now + by.lease).values(claimed_until=now + by.lease))


def _lock(rows: Connection, subscription_id: UUID) -> None:
    """Lock the subscription, before anything else, in the same order as other writers."""
    rows.execute(
        select(_subscriptions.c.id)
        .where(_subscriptions.c.id == subscription_id)
        .with_for_update(key_share=True)
    )


def lock_for_end(rows: Connection, subscription_id: UUID) -> None:
    """Lock a subscription before it's switched off: afterwards, nobody adds deliveries that would wait."""
    rows.execute(select(_subscriptions.c.id).where(_subscriptions.c.id == subscription_id).with_for_update())


def _next(rows: Connection, by: Claimant, subscription_id: UUID, now: datetime) -> Due | None:
    """Return the oldest due delivery, extending the claim for it."""
    found = rows.execute(
        select(
            deliveries.c.id,
            deliveries.c.subscription_id,
            deliveries.c.event_id,
            deliveries.c.event_type,
            deliveries.c.retry,
            events.c.data,
            events.c.created_at.label("event_created_at"),
            _subscriptions.c.url,
            _subscriptions.c.secret,
        )
        .join(events, events.c.id == deliveries.c.event_id)
        .join(_subscriptions, _subscriptions.c.id == deliveries.c.subscription_id)
        .where(_subscriptions.c.id == subscription_id, _subscriptions.c.claimed_by == by.owner)
        .where(_subscriptions.c.active, deliveries.c.next_attempt_at <= now)
        .order_by(deliveries.c.next_attempt_at)
        .limit(1)
    ).one_or_none()
    if found is None:
        return None
    until = now + by.lease
    rows.execute(
        update(_subscriptions).where(_subscriptions.c.id == subscription_id).values(claimed_until=until)
    )
    return Due(**found._mapping, claimed_until=until)  # noqa: SLF001  SQLAlchemy's public name


def _conclude(rows: Connection, by: Claimant, due: Due, sent: Sent, *, may_retry: bool) -> None:
    """Update the subscription after an attempt, and schedule a retry if there is one."""
    now = sent.ended_at
    before = rows.execute(
        select(
            _subscriptions.c.active, _subscriptions.c.failure_count, _subscriptions.c.last_disabled_at
        ).where(_subscriptions.c.id == due.subscription_id)
    ).one()
    health = Health(*before).after(sent.verdict, now)
    disabled = before.active and not health.active
    columns = {**asdict(health), "last_delivery_at": sent.began_at}
    if disabled:
        lock_for_end(rows, due.subscription_id)
        columns["updated_at"] = now
    rows.execute(update(_subscriptions).where(_subscriptions.c.id == due.subscription_id).values(columns))
    if disabled:
        _log.warning("a webhook was switched off", subscription_id=str(due.subscription_id))
        drop_waiting(rows, due.subscription_id, DISABLED, now)
    elif may_retry and health.active and (at := retry_at(due.retry, sent.verdict, now, by.backoff, by.roll)):
        _retry(rows, due, at, now)


def _retry(rows: Connection, due: Due, at: datetime, now: datetime) -> None:
    attempt = next_attempt(rows, due.subscription_id, due.event_id)
    again = delivery_row(due.subscription_id, due.event_id, due.event_type, now, attempt=attempt)
    rows.execute(insert(deliveries).values(again | {"retry": due.retry + 1, "next_attempt_at": at}))


KEPT: Final = timedelta(days=30)
"""How long deliveries stay in the log, where they can be replayed."""

_AT_ONCE: Final = 1_000
"""Rows deleted per transaction, so that other writers don't wait."""


def prune(rows: Connection, now: datetime, at_once: int = _AT_ONCE) -> bool:
    """Delete at most ``at_once`` old deliveries and events; return whether there may be more.

    Keeps pending deliveries, and events that still have a delivery in the log.
    """
    old_deliveries = select(deliveries.c.id).where(
        deliveries.c.created_at < now - KEPT, deliveries.c.next_attempt_at.is_(None)
    )
    delivered = select(deliveries.c.id).where(deliveries.c.event_id == events.c.id).exists()
    old_events = select(events.c.id).where(events.c.created_at < now - KEPT, ~delivered)
    counts = [
        rows.execute(delete(table).where(table.c.id.in_(old.limit(at_once)))).rowcount
        for table, old in ((deliveries, old_deliveries), (events, old_events))
    ]
    return max(counts) == at_once
