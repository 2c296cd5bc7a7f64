"""Keyset pages: newest first, each row exactly once however the list grows meanwhile."""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import Column, Connection, Row, Select, Table, tuple_

from app.contract.pagination import Page, PageQuery
from app.service.accounts.keys import Principal
from app.service.api.context import Service
from app.service.api.cursors import Position

Item = TypeVar("Item", bound=BaseModel)


async def read_page(
    service: Service,
    principal: Principal,
    rows: Select[Any],
    table: Table,
    query: PageQuery,
    model: type[Item],
    by: Column[Any] | None = None,
) -> Page[Item]:
    """One page of ``rows``, which select from ``table``; the columns are named like the model's fields.

    ``by`` is the column that the list runs by, the creation time where nothing is said. Raises ApiError for a
    bad cursor.
    """
    after = service.cursors.read(table.name, query.cursor) if query.cursor else None
    order = table.c.created_at if by is None else by
    place = (after.at, after.id) if after else None
    statement = page_of(rows, order, table.c.id, place, query.limit + 1)

    def work(connection: Connection) -> Sequence[Row[Any]]:
        return connection.execute(statement).all()

    found = await service.database.read(work, share=principal.account_id)
    shown = found[: query.limit]
    last = shown[-1] if len(found) > query.limit else None
    return Page[model](  # type: ignore[valid-type]  # the model is known only now
        data=[model.model_validate(row, from_attributes=True) for row in shown],
        next_cursor=last and service.cursors.write(table.name, Position(getattr(last, order.name), last.id)),
    )


def page_of(rows: Select[Any], by: Column[Any], row_id: Column[Any], after: Any, most: Any) -> Select[Any]:
    """At most so many of ``rows``, the newest, or those after a place: a tuple of moment and id."""
    ordered = rows.order_by(by.desc(), row_id.desc()).limit(most)
    return ordered if after is None else ordered.where(tuple_(by, row_id) < after)
