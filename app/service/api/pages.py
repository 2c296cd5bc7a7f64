"""Keyset pages: newest first, each row exactly once however the list grows meanwhile."""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import Connection, Row, Select, Table, tuple_

from app.contract.pagination import Page, PageQuery
from app.service.api.context import Service
from app.service.api.cursors import Cursors, Position

Item = TypeVar("Item", bound=BaseModel)


async def read_page(
    service: Service, rows: Select[Any], table: Table, query: PageQuery, model: type[Item]
) -> Page[Item]:
    """One page of ``rows``, which select from ``table``; the columns are named like the model's fields.

    Raises ApiError for a bad cursor.
    """
    after = service.cursors.read(table.name, query.cursor) if query.cursor else None
    statement = _after(rows, table, after).limit(query.limit + 1)

    def work(connection: Connection) -> Sequence[Row[Any]]:
        return connection.execute(statement).all()

    return _page(await service.database.read(work), table, query, model, service.cursors)


def _after(rows: Select[Any], table: Table, position: Position | None) -> Select[Any]:
    ordered = rows.order_by(table.c.created_at.desc(), table.c.id.desc())
    if position is None:
        return ordered
    return ordered.where(tuple_(table.c.created_at, table.c.id) < (position.created_at, position.id))


def _page(
    found: Sequence[Row[Any]], table: Table, query: PageQuery, model: type[Item], cursors: Cursors
) -> Page[Item]:
    shown = found[: query.limit]
    more = len(found) > query.limit
    last = Position(shown[-1].created_at, shown[-1].id) if more else None
    return Page[model](  # type: ignore[valid-type]  # the model is known only now
        data=[model.model_validate(row, from_attributes=True) for row in shown],
        next_cursor=cursors.write(table.name, last) if last else None,
    )
