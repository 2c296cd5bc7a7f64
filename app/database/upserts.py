"""Inserting rows, or changing those that are there, which each database writes in its own way."""

from collections.abc import Callable
from typing import Final, TypeAlias

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Upsert: TypeAlias = sqlite.Insert | postgresql.Insert
"""An INSERT with ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""

_INSERTS: Final[dict[str, Callable[[Table], Upsert]]] = {
    "postgresql": postgresql.insert,
    "sqlite": sqlite.insert,
}


def upsert(connection: Connection, table: Table) -> Upsert:
    """An INSERT for the connection's database that can say what happens where a row is there already."""
    return _INSERTS[connection.dialect.name](table)
