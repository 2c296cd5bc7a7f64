"""Forgetting: what is a month old goes, and nothing that is still needed."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection, select, update

from app.contract.enums import EventType
from app.service.accounts.accounts import Plan, create_account
from app.service.store.tables import deliveries, events
from app.service.webhooks.events import record
from app.service.webhooks.queue import KEPT, prune, replay
from tests.service.webhooks.office import DATA
from tests.service.webhooks.test_events import add_subscription
from tests.stores import service_store

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
OLD, RECENT = NOON - KEPT - timedelta(seconds=1), NOON - KEPT + timedelta(seconds=1)


def happen(rows: Connection, account_id: UUID, at: datetime, *, waits: bool = False) -> UUID:
    """An event of that time whose delivery was made then, unless it ``waits``."""
    event_id = record(rows, account_id, EventType.POST_FAILED, DATA, at)
    assert event_id is not None
    if not waits:
        made = update(deliveries).where(deliveries.c.event_id == event_id)
        rows.execute(made.values(next_attempt_at=None, delivered_at=at))
    return event_id


def test_what_is_old_goes_and_the_rest_stays(tmp_path: Path) -> None:
    def work(rows: Connection) -> None:
        account_id = create_account(rows, "Ines", Plan.LOCAL, OLD)
        lonely = record(rows, account_id, EventType.CONNECTION_EXPIRED, DATA, OLD)
        subscription_id = add_subscription(rows, account_id, EventType.POST_FAILED)
        old, recent = happen(rows, account_id, OLD), happen(rows, account_id, RECENT)
        waiting = happen(rows, account_id, OLD, waits=True)
        replayed = happen(rows, account_id, OLD)
        delivery_id = rows.scalar(select(deliveries.c.id).where(deliveries.c.event_id == replayed))
        assert delivery_id is not None
        replay(rows, account_id, subscription_id, delivery_id, RECENT)

        assert prune(rows, NOON) is False

        left = set(rows.scalars(select(events.c.id)))
        assert left == {recent, waiting, replayed}
        assert {lonely, old}.isdisjoint(left)
        assert set(rows.scalars(select(deliveries.c.event_id))) == {recent, waiting, replayed}
        assert delivery_id not in set(rows.scalars(select(deliveries.c.id)))

    with closing(service_store(tmp_path)) as database:
        database.write_now(work)


def test_much_goes_in_several_steps(tmp_path: Path) -> None:
    def work(rows: Connection) -> None:
        account_id = create_account(rows, "Ines", Plan.LOCAL, OLD)
        for _ in range(7):
            happen(rows, account_id, OLD)
        assert [prune(rows, NOON, at_once=3) for _ in range(3)] == [True, True, False]
        assert rows.execute(select(events)).all() == []

    with closing(service_store(tmp_path)) as database:
        database.write_now(work)
