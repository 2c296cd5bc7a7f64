"""What a world begins with: a store with accounts, made once and copied."""

import atexit
import shutil
import tempfile
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import insert

from app.database.dialects import sqlite_engine
from app.service.store.folder import MIGRATIONS
from app.service.store.tables import accounts, api_keys, connections
from tests.migrated import lay
from tests.simulation.lives import START
from tests.simulation.media.plan import ACCOUNTS, CAP_BYTES
from tests.simulation.publishing.ground import STORE, fast_folder

_WATCHES: Final = (
    """CREATE TRIGGER watch_removed AFTER DELETE ON media WHEN old.sha256 IS NOT NULL BEGIN
     SELECT world_removed(old.storage_path); END""",
    """CREATE TRIGGER watch_stored AFTER UPDATE OF sha256 ON media
     WHEN old.sha256 IS NULL AND new.sha256 IS NOT NULL BEGIN
     SELECT world_stored(new.account_id,
      (SELECT sum(size_bytes) FROM media WHERE account_id = new.account_id AND expires_at IS NULL)); END""",
    """CREATE TRIGGER watch_found AFTER UPDATE OF expires_at ON media
     WHEN old.expires_at IS NOT NULL AND new.expires_at IS NULL AND old.sha256 IS NOT NULL BEGIN
     SELECT world_found(new.account_id); END""",
    """CREATE TRIGGER watch_lost AFTER UPDATE OF expires_at ON media
     WHEN old.expires_at IS NULL AND new.expires_at IS NOT NULL BEGIN SELECT world_lost(); END""",
)
"""Tell the world what transactions do: functions that it gives to every connection."""


@cache
def ground() -> Path:
    """A folder, the same for every world of this process."""
    folder = Path(tempfile.mkdtemp(prefix="simulated-", dir=fast_folder()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    lay(folder / STORE, MIGRATIONS)
    engine = sqlite_engine(folder / STORE)
    long_ago = START - timedelta(days=9)
    with engine.begin() as rows:
        for number in range(ACCOUNTS):
            its = account(number)
            rows.execute(insert(accounts).values(
                id=its, name="A", plan="local", status="active", storage_cap_bytes=CAP_BYTES,
                created_at=long_ago,
            ))  # fmt: skip
            rows.execute(insert(api_keys).values(
                id=its, account_id=its, key_hash=its.hex, scope="api:full", created_at=long_ago,
            ))  # fmt: skip
            rows.execute(insert(connections).values(
                id=its, account_id=its, platform="facebook", account_identifier=its.hex,
                display_name="Robin", is_available=True, access_token=b"sealed", created_at=long_ago,
            ))  # fmt: skip
        for statement in _WATCHES:
            rows.exec_driver_sql(statement)
    engine.dispose()
    return folder


def account(number: int) -> UUID:
    return UUID(int=number % ACCOUNTS + 1)
