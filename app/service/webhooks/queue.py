"""Deliveries as rows: the queue of those that are due, and the log of attempts.

This is the SQL of claims, of results, and of pruning.
"""

import random
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from sqlalchemy import Connection, delete, func, insert, or_, select, update

from app.contract.enums import ErrorCode
from app.contract.webhooks import WebhookReplayResult
from app.service.api.errors import ApiError, not_found
from app.service.store.tables import deliveries, events, webhook_subscriptions
from app.service.webhooks.events import delivery_row
from app.service.webhooks.messages import Due
from app.service.webhooks.sender import Health, Roll, Sent, longest_wait, retry_at

_OFF = "The webhook is switched off, so nothing can be replayed. Set active to true first."
_AGAIN = "The event is delivered again; a new delivery appears shortly."

_log = structlog.get_logger(__name__)

DISABLED: Final = (
    "Not sent: the webhook was switched off after too many failures in a row. "
    "Switch it on and replay this delivery."
)
"""What is said of deliveries that waited when their subscription was disabled."""

_subscriptions = webhook_subscriptions


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


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who works on the queue, for how long a claim holds, and when failed deliveries are tried again."""

    owner: UUID
    lease: timedelta
    backoff: Sequence[float]
    roll: Roll = random.random


_SOONEST = (
    select(deliveries.c.next_attempt_at)
    .where(deliveries.c.next_attempt_at.is_not(None))
    .order_by(deliveries.c.next_attempt_at)
    .limit(1)
)


def next_moment(rows: Connection) -> datetime | None:
    """When the next delivery is due; None: nothing waits."""
    due: datetime | None = rows.scalar(_SOONEST)
    return due


def claim(
    rows: Connection, by: Claimant, now: datetime, limit: int, busy: Collection[UUID] = ()
) -> list[Due]:
    """Takes a turn for subscriptions with something due, those first that were not served for longest.

    ``busy`` are those with a turn under way here. Their claims may have run out, as after the clock was set.
    """
    waits = select(deliveries.c.id).where(
        deliveries.c.subscription_id == _subscriptions.c.id, deliveries.c.next_attempt_at <= now
    )
    free = (
        select(_subscriptions.c.id)
        .where(_subscriptions.c.active, waits.exists(), _subscriptions.c.id.not_in(busy))
        .where(or_(_subscriptions.c.claimed_until.is_(None), _subscriptions.c.claimed_until <= now))
        .order_by(_subscriptions.c.last_delivery_at.asc().nulls_first())
        .limit(limit)
        .with_for_update(skip_locked=True, key_share=True)  # whoever adds deliveries is not in the way
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
    """Writes down an attempt and what follows from it; gives the subscription's next delivery.

    None: there is none, the turn is over (``go_on`` False), or the subscription was deleted meanwhile.
    """
    _lock(rows, due.subscription_id)
    unrecorded = deliveries.c.id == due.id, deliveries.c.latency_ms.is_(None)
    before = rows.execute(select(deliveries.c.next_attempt_at).where(*unrecorded)).one_or_none()
    if before is not None:
        # Dropped while it was under way: it was sent all the same.
        was_dropped = before.next_attempt_at is None
        result = {"failed_at": None, **result_columns(sent)}
        rows.execute(update(deliveries).where(*unrecorded).values(result))
        _conclude(rows, by, due, sent, may_retry=not was_dropped)
    following = _next(rows, by, due.subscription_id, sent.ended_at) if go_on else None
    if following is None:
        release(rows, by, due.subscription_id)
    return following


def release(rows: Connection, by: Claimant, subscription_id: UUID) -> None:
    """Ends a turn; a claim that was lost meanwhile stays as it is."""
    rows.execute(
        update(_subscriptions)
        .where(_subscriptions.c.id == subscription_id, _subscriptions.c.claimed_by == by.owner)
        .values(claimed_by=None, claimed_until=None)
    )


def release_all(rows: Connection, owner: UUID | None = None) -> None:
    """Ends every turn of ``owner``; without one everybody's, for the only process on a database."""
    claimed = _subscriptions.c.claimed_by == owner if owner else _subscriptions.c.claimed_by.is_not(None)
    rows.execute(update(_subscriptions).where(claimed).values(claimed_by=None, claimed_until=None))


def put_right(rows: Connection, by: Claimant, now: datetime) -> None:
    """Corrects what was written by a clock that was ahead: else it would wait until that time has come."""
    longest = timedelta(seconds=longest_wait(by.backoff))
    waits = deliveries.c.next_attempt_at
    rows.execute(update(deliveries).where(waits > now + longest).values(next_attempt_at=now))
    until = _subscriptions.c.claimed_until
    rows.execute(update(_subscriptions).where(until > now + by.lease).values(claimed_until=now + by.lease))


def _lock(rows: Connection, subscription_id: UUID) -> None:
    """Keeps others from changing the subscription: first of all, as those do who change it."""
    rows.execute(
        select(_subscriptions.c.id)
        .where(_subscriptions.c.id == subscription_id)
        .with_for_update(key_share=True)
    )


def _next(rows: Connection, by: Claimant, subscription_id: UUID, now: datetime) -> Due | None:
    """The oldest delivery that is due, with the claim prolonged for it."""
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
    """What an attempt means for its subscription, and whether there will be another one."""
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
"""How long the log can be read and replayed from."""

_AT_ONCE: Final = 1_000
"""Rows that one transaction deletes, so that nobody waits for it."""


def prune(rows: Connection, now: datetime, at_once: int = _AT_ONCE) -> bool:
    """Deletes at most ``at_once`` deliveries and events that are too old; gives whether there may be more.

    What still waits is kept, and so is an event for as long as a delivery of it is in the log.
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
