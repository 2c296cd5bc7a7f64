"""Lists that are read often: the statements are made once, and rows go out without becoming models."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy import Connection, Row, Select, Table, bindparam, select, tuple_
from sqlalchemy.sql.elements import NamedColumn
from starlette.responses import Response

from app.contract.pagination import PageQuery
from app.service.api.context import Service
from app.service.api.cursors import Position
from app.service.api.pages import page_of
from app.service.api.wire import on_the_wire


class Listing:
    """The rows of one table that belong to an account, newest first.

    ``columns`` are named like the fields of the contract's model. ``filters`` are columns that a query may
    ask for by fields of the same names.
    """

    def __init__(self, table: Table, columns: Sequence[NamedColumn[Any]], filters: Sequence[str]) -> None:
        self._table = table
        self._columns = [on_the_wire(column) for column in columns]
        self._names = [str(column.name) for column in columns]
        self._filters = filters
        self.statement = cache(self._statement)

    async def answer(self, service: Service, account_id: UUID, query: PageQuery) -> Response:
        """One page as the contract's envelope. Raises ApiError for a bad cursor."""
        after = service.cursors.read(self._table.name, query.cursor) if query.cursor else None
        given = {name: getattr(query, name) for name in self._filters}
        given = {name: str(value) for name, value in given.items() if value is not None}
        statement = self.statement(tuple(given), is_first=after is None)
        values = {"account_id": account_id, "most": query.limit + 1, **given}
        if after is not None:
            values |= {"after_at": after.at, "after_id": after.id}

        def work(connection: Connection) -> Sequence[Row[Any]]:
            return connection.execute(statement, values).all()

        found = await service.database.read(work, share=account_id)
        data = [dict(zip(self._names, row, strict=True)) for row in found[: query.limit]]
        cursor = None
        if len(found) > query.limit:
            last = Position(datetime.fromisoformat(data[-1]["created_at"]), UUID(data[-1]["id"]))
            cursor = service.cursors.write(self._table.name, last)
        return Response(to_json({"data": data, "next_cursor": cursor}), media_type="application/json")

    def _statement(self, filters: Sequence[str], *, is_first: bool) -> Select[Any]:
        """The statement of a page; its parameters are the account, the filters, ``most`` and the place."""
        at, row_id = self._table.c.created_at, self._table.c.id
        wanted = [self._table.c[name] == bindparam(name) for name in ("account_id", *filters)]
        place = tuple_(bindparam("after_at", type_=at.type), bindparam("after_id", type_=row_id.type))
        rows = select(*self._columns).where(*wanted)
        return page_of(rows, at, row_id, None if is_first else place, bindparam("most"))
