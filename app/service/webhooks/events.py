"""Events: written in the transaction of the change that they tell of, with a delivery for everyone who asked.

A transaction that is undone takes its events along, and one that is committed has them, whatever dies next.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, insert, select

from app.contract.enums import EventType
from app.service.store.tables import deliveries, events, webhook_subscriptions


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to an account; ``data`` is what a delivery carries of it."""

    account_id: UUID
    event_type: EventType
    data: BaseModel
    at: datetime


def record(rows: Connection, account_id: UUID, event_type: EventType, data: BaseModel, now: datetime) -> UUID:
    """Writes one event and what must be delivered of it, in the caller's transaction; gives its id."""
    return record_all(rows, [Happening(account_id, event_type, data, now)])[0]


def record_all(rows: Connection, happenings: Sequence[Happening]) -> list[UUID]:
    """Like ``record`` for many, with a few statements however many they are."""
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
    """An event as a row, not yet written."""
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
    """The first attempt of a dispatch as a row, due at once, not yet written."""
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
    .with_for_update(read=True, key_share=True)  # none of them may be deleted before this is committed
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
