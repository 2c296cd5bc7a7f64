"""Upserts, whose syntax differs between databases."""

from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

Upsert: TypeAlias = "sqlite.Insert | postgresql.Insert"
"""An INSERT with ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""


def upsert(connection: Connection, table: Table) -> Upsert:
    """Return an INSERT for the connection's database that supports ``on_conflict_...``."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)
