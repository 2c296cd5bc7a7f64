"""What a world begins with: a store with accounts and subscriptions, made once and copied."""

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, insert

from app.contract.enums import EventType
from app.contract.webhooks import CreatedWebhookSubscription
from app.database.dialects import sqlite_engine
from app.service.store.folder import MIGRATIONS
from app.service.store.seal import KEY_BYTES, Seal
from app.service.store.tables import accounts
from app.service.webhooks import subscriptions
from tests.migrated import lay
from tests.simulation.lives import START
from tests.simulation.publishing.ground import STORE, fast_folder
from tests.simulation.webhooks.plan import ACCOUNTS, SLOTS

SEAL: Final = Seal(bytes(KEY_BYTES))
TYPES: Final = (EventType.POST_PUBLISHED, EventType.POST_FAILED, EventType.POST_SCHEDULED)

_AUDIT: Final = (
    "CREATE TABLE audit (seq INTEGER PRIMARY KEY, at REAL, kind, subscription, subject, a, b, c)",
    """CREATE INDEX audit_of ON audit (subscription, seq);""",
    """CREATE TRIGGER audit_expected AFTER INSERT ON events BEGIN
     INSERT INTO audit (at, kind, subscription, subject)
      SELECT world_now(), 'expected', id, new.id FROM webhook_subscriptions
      WHERE account_id = new.account_id AND active AND instr(events, '"' || new.type || '"'); END;""",
    """CREATE TRIGGER audit_made AFTER UPDATE ON deliveries
     WHEN old.latency_ms IS NULL AND new.latency_ms IS NOT NULL BEGIN
     INSERT INTO audit (at, kind, subscription, subject, a, b, c)
      VALUES (world_now(), 'made', new.subscription_id, new.id,
       new.delivered_at IS NOT NULL, new.status_code, old.next_attempt_at IS NULL); END;""",
    """CREATE TRIGGER audit_dropped AFTER UPDATE ON deliveries
     WHEN old.next_attempt_at IS NOT NULL AND new.next_attempt_at IS NULL AND new.latency_ms IS NULL BEGIN
     INSERT INTO audit (at, kind, subscription, subject)
      VALUES (world_now(), 'dropped', new.subscription_id, new.id); END;""",
    """CREATE TRIGGER audit_health AFTER UPDATE OF active, failure_count ON webhook_subscriptions BEGIN
     INSERT INTO audit (at, kind, subscription, subject, a, b, c)
      VALUES (world_now(), 'health', new.id, new.last_disabled_at,
       new.active, new.failure_count, old.claimed_by IS NOT NULL); END;""",
    """CREATE TRIGGER audit_subscribed AFTER INSERT ON webhook_subscriptions BEGIN
     INSERT INTO audit (at, kind, subscription, a, b)
      VALUES (world_now(), 'subscribed', new.id, 1, 0); END;""",
    """CREATE TRIGGER audit_deleted AFTER DELETE ON webhook_subscriptions BEGIN
     INSERT INTO audit (at, kind, subscription, a, c)
      VALUES (world_now(), 'deleted', old.id, 0, old.claimed_by IS NOT NULL); END;""",
)
"""Notes what each transaction did, and when: ``world_now`` is the true time.

`expected`: a subscription that an event must reach. `made`: an attempt was recorded (``a`` delivered, ``b``
status, ``c`` it had been dropped before). `dropped`: it will not be made. `health`: ``a`` active, ``b``
failures, ``c`` claimed. `deleted`: ``c`` claimed.
"""


@dataclass(frozen=True)
class Ground:
    """A folder to be copied, and the subscriptions in it by their slot."""

    folder: Path
    subscriptions: Mapping[int, CreatedWebhookSubscription]


@cache
def ground() -> Ground:
    """The same for every world of this process."""
    folder = Path(tempfile.mkdtemp(prefix="simulated-", dir=fast_folder()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    lay(folder / STORE, MIGRATIONS)
    engine = sqlite_engine(folder / STORE)
    with engine.begin() as rows:
        rows.execute(insert(accounts), [
            {"id": account(number), "name": "A", "plan": "local", "status": "active", "created_at": START}
            for number in range(ACCOUNTS)
        ])  # fmt: skip
        made = {slot: subscribe(rows, slot, 0) for slot in range(SLOTS)}
        for statement in _AUDIT:
            rows.exec_driver_sql(statement)
    engine.dispose()
    return Ground(folder, made)


def account(number: int) -> UUID:
    return UUID(int=number % ACCOUNTS + 1)


def subscribe(rows: Connection, slot: int, generation: int) -> CreatedWebhookSubscription:
    """Subscribes a slot; each time to another URL, from which its receiver knows it."""
    types = TYPES[: 1 + slot % len(TYPES)]
    url = f"https://slot-{slot}.example/{generation}"
    return subscriptions.add(
        rows, SEAL, account(slot), url, types, START, new_id=lambda: subscription_id(slot, generation)
    )


def subscription_id(slot: int, generation: int) -> UUID:
    """The id of a slot's subscription; ``generation`` counts those it had before."""
    return UUID(int=generation * SLOTS + slot + 1)
