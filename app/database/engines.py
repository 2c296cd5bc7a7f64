"""Engines for the supported databases."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import stamina
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

WRITES = "kalends_writes"
"""Execution option of a connection whose transaction will write."""

OWN_TRANSACTIONS = "kalends_own_transactions"
"""Execution option of a connection whose owner manages transactions itself."""

_BUSY_TIMEOUT_S = 30


def sqlite_engine(path: Path, *, readers: int = 4) -> Engine:
    """Open or create a SQLite file for many readers and one writer.

    Uses WAL with ``synchronous=FULL``, so that commits survive a power failure; macOS also needs
    ``fullfsync``. Write transactions start with BEGIN IMMEDIATE, because a deferred one can't wait for the
    lock after it has read.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        f"sqlite:///{path}",
        poolclass=QueuePool,
        pool_size=readers + 1,
        max_overflow=0,
        connect_args={"check_same_thread": False, "timeout": _BUSY_TIMEOUT_S, "isolation_level": None},
    )
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


def snapshot_options(engine: Engine) -> Mapping[str, Any]:
    """Return execution options for a transaction that reads a consistent snapshot."""
    if engine.dialect.name != "postgresql":
        return {}
    return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def _configure(connection: sqlite3.Connection, _record: object) -> None:
    _use_wal(connection)
    for pragma in ("synchronous=FULL", "fullfsync=ON", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _is_locked(error: Exception) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY


@stamina.retry(on=_is_locked, attempts=None, timeout=_BUSY_TIMEOUT_S, wait_initial=0.01, wait_max=0.1)
def _use_wal(connection: sqlite3.Connection) -> None:
    """Turn on WAL. SQLite's busy timeout doesn't cover another process that opens the file simultaneously."""
    connection.execute("PRAGMA journal_mode=WAL").close()


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(OWN_TRANSACTIONS, False):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITES, False) else "BEGIN")
