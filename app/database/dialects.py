"""Engines for the supported databases, and what differs between them: column types, indexes, upserts."""

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import stamina
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Engine,
    Index,
    Table,
    Text,
    create_engine,
    event,
    literal_column,
    text,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.pool import QueuePool
from sqlalchemy.types import TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class UtcMillis(TypeDecorator[datetime]):
    """An aware datetime, stored as integer milliseconds since 1970 UTC: exact, compact and sortable."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Any) -> int | None:
        """Raises ValueError for a naive datetime, which would silently be wrong by hours."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs a zone")
        return (value - _EPOCH) // _MILLISECOND

    def process_result_value(self, value: int | None, _dialect: Any) -> datetime | None:
        return None if value is None else _EPOCH + value * _MILLISECOND


class JsonText(TypeDecorator[Any]):
    """A small JSON value stored as text, so that triggers and SQLite can compare it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: Any) -> str | None:
        return None if value is None else json.dumps(value, separators=(",", ":"), sort_keys=True)

    def process_result_value(self, value: str | None, _dialect: Any) -> Any:
        return None if value is None else json.loads(value)


def is_one_of(column: ColumnElement[str], values: Iterable[str]) -> ColumnElement[bool]:
    """Return the condition that a column has one of the words that a program knows, such as its states.

    They become part of the SQL. With ``in_``, SQLAlchemy writes the list and its parameters again for each
    execution, which takes longer than many queries, and the database can't use partial indexes. With a
    parameter, SQLite plans the query again for each execution if the column is in the condition of a partial
    index.

    Raises ValueError for a value that isn't a word of letters, digits, hyphens and underscores.
    """
    words = sorted(values)
    if odd := [word for word in words if not re.fullmatch(r"[\w-]+", word, re.ASCII)]:
        raise ValueError(f"not a plain word: {odd[0]!r}")
    return column.in_([literal_column(f"'{word}'") for word in words])


def partial_index(name: str, *columns: str, where: str) -> Index:
    """Return an index of the rows that match ``where``, an SQL condition.

    Only PostgreSQL databases register this with their dialect, because importing it takes 10 ms and 2 MB.
    """
    index = Index(name, *columns, sqlite_where=text(where))

    @event.listens_for(index, "before_create")
    def tell_postgresql(_index: Index, connection: Connection, **_more: Any) -> None:
        if connection.dialect.name == "postgresql":
            index.dialect_options["postgresql"]["where"] = text(where)

    return index


Upsert: TypeAlias = "sqlite.Insert | postgresql.Insert"
"""An INSERT with ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""


def upsert(connection: Connection, table: Table) -> Upsert:
    """Return an INSERT for the connection's database that supports ``on_conflict_...``."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)


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
