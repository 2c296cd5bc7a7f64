"""Indexes whose syntax differs between databases."""

from typing import Any

from sqlalchemy import Connection, Index, event, text


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
