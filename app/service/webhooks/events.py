"""Events, recorded in the transaction of the change itself, with a delivery for each subscriber.

If the transaction is rolled back, so are its events; if it is committed, they are stored too.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, insert, select

from app.contract.enums import EventType
from app.contract.webhooks import ConnectionEventData, PostEventData
from app.service.store.tables import deliveries, events, webhook_subscriptions


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to an account; ``data`` is the payload of its deliveries."""

    account_id: UUID
    event_type: EventType
    data: PostEventData | ConnectionEventData
    at: datetime


def record(
    rows: Connection,
    account_id: UUID,
    event_type: EventType,
    data: PostEventData | ConnectionEventData,
    now: datetime,
) -> UUID | None:
    """Record an event and its deliveries in the caller's transaction; return the event's id.

    There are no events of companion networks, which the specification doesn't know.
    """
    return next(iter(record_all(rows, [Happening(account_id, event_type, data, now)])), None)


def record_all(rows: Connection, happenings: Sequence[Happening]) -> list[UUID]:
    """Record several events like ``record``, in a constant number of statements."""
    happenings = [one for one in happenings if one.data.platform.is_known]
    if not happenings:
        return []
    written = [event_row(one.account_id, one.event_type, one.data, one.at) for one in happenings]
    rows.execute(_NEW_EVENT, written)
    wanted = _subscribers(rows, {one.account_id for one in happenings})
    waiting = list(_deliveries(written, wanted))
    if waiting:
        rows.execute(insert(deliveries), waiting)
    return [row["id"] for row in written]


def event_row(account_id: UUID, event_type: str, data: BaseModel, now: datetime) -> dict[str, Any]:
    """Return an event as a row, not yet written."""
    return {
        "id": uuid4(),
        "account_id": account_id,
        "type": str(event_type),
        "data": data.model_dump_json(),
        "created_at": now,
    }


def delivery_row(
    subscription_id: UUID, event_id: UUID, event_type: str, now: datetime, *, attempt: int = 1
) -> dict[str, Any]:
    """Return the first attempt of a delivery as a row, due immediately, not yet written."""
    return {
        "id": uuid4(),
        "subscription_id": subscription_id,
        "event_id": event_id,
        "event_type": event_type,
        "attempt": attempt,
        "retry": 0,
        "next_attempt_at": now,
        "created_at": now,
    }


_ACTIVE = (
    select(webhook_subscriptions.c.id, webhook_subscriptions.c.account_id, webhook_subscriptions.c.events)
    .where(
        webhook_subscriptions.c.account_id.in_(bindparam("accounts", expanding=True)),
        webhook_subscriptions.c.active,
    )
    .with_for_update(read=True, key_share=True)  # none may be deleted or switched off before
)
_NEW_EVENT = insert(events)


def _subscribers(rows: Connection, accounts: Collection[UUID]) -> Mapping[tuple[UUID, str], Sequence[UUID]]:
    """Active subscriptions by account and event type."""
    active = rows.execute(_ACTIVE, {"accounts": list(accounts)})
    wanted: dict[tuple[UUID, str], list[UUID]] = {}
    for row in active:
        for event_type in row.events:
            wanted.setdefault((row.account_id, event_type), []).append(row.id)
    return wanted


def _deliveries(
    written: Iterable[Mapping[str, Any]], wanted: Mapping[tuple[UUID, str], Sequence[UUID]]
) -> Iterable[dict[str, Any]]:
    for event in written:
        for subscription_id in wanted.get((event["account_id"], event["type"]), ()):
            yield delivery_row(subscription_id, event["id"], event["type"], event["created_at"])
