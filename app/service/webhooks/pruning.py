"""Forgetting: events and deliveries are kept for a month."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, select

from app.service.store.tables import deliveries, events

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
