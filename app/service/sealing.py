"""The installation's key: checked before anything starts, and replaced only when a person asks for it."""

from datetime import datetime

import structlog
from sqlalchemy import Connection, delete, select

from app.database import Database
from app.service.connections.rows import mark_unavailable
from app.service.store.folder import DataFolder
from app.service.store.marks import read_marks
from app.service.store.seal import Seal
from app.service.store.shared_key import keep_key, replace_key, require_shared_key, tell_key
from app.service.store.tables import connection_flows, connections

_log = structlog.get_logger(__name__)


def check_key(folder: DataFolder, database: Database, now: datetime) -> None:
    """Makes the key of a new installation. Blocking.

    A backup of the desktop app has no keys: put back on another computer, accounts are connected again.
    Raises CommandProblem when the key is missing otherwise, or is another one, and OSError.
    """
    if _came_without_keys(folder, database):
        count = reset_key(folder, database, now)
        _log.warning("the backup came without the key to connected accounts", accounts_to_connect=count)
    if not database.read_now(lambda rows: require_shared_key(rows, folder)):
        database.write_now(lambda rows: tell_key(rows, folder))
        # Another process may have been first, with another key.
        database.read_now(lambda rows: require_shared_key(rows, folder))


def reset_key(folder: DataFolder, database: Database, now: datetime) -> int:
    """Makes a new key, since the former one is lost; gives how many accounts must be connected again.

    Blocking. Raises OSError.
    """
    seal = replace_key(folder)
    return database.write_now(lambda rows: _begin_again(rows, seal, now))


def _came_without_keys(folder: DataFolder, database: Database) -> bool:
    told = folder.restored_at()
    if told is None or folder.seal_key.exists() or folder.apps.exists():
        return False
    before = database.read_now(read_marks).restored_at
    return before is None or told > before


def _begin_again(rows: Connection, seal: Seal, now: datetime) -> int:
    keep_key(rows, seal)
    rows.execute(delete(connection_flows))
    available = rows.execute(select(connections).where(connections.c.is_available)).all()
    for row in available:
        mark_unavailable(rows, row, now, while_renewing=True)
    return len(available)
