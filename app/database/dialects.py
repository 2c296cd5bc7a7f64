"""What differs between databases: column types, partial indexes, upserts."""

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import BigInteger, Connection, Index, Table, Text, event, text
from sqlalchemy.dialects import sqlite
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
