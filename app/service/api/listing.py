"""Paginated lists: each row appears exactly once, even if the list grows meanwhile.

Statements are built once, and rows are sent as stored, without building models.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cache, lru_cache
from typing import Any, Final
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Row,
    Select,
    Table,
    Uuid,
    bindparam,
    select,
    tuple_,
    type_coerce,
)
from sqlalchemy.sql.elements import NamedColumn
from sqlalchemy.types import TypeDecorator
from starlette.responses import Response

from app.contract.pagination import PageQuery
from app.database import UtcMillis
from app.service.api.context import Service
from app.service.api.cursors import Position
from app.service.api.responses import JsonAnswer
from app.service.store.reach import Reach

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001  the Z is written by hand
_LONG: Final = 500_000
"""Characters of a page that is encoded outside the event loop. An account may leave few of these unread."""
_LONGEST: Final = 2_000_000
"""Characters after which a page ends early; a hundred posts with the longest text have fewer."""


@dataclass(frozen=True, slots=True)
class ListedPage:
    """One page.

    Attributes:
        data: The rows by column name, with ids and times as text.
        length: About how many characters they have.
    """

    data: list[dict[str, Any]]
    next_cursor: str | None
    length: int


def _fitting(rows: Sequence[Row[Any]]) -> tuple[Sequence[Row[Any]], int]:
    """Return the first rows, as many as a page may hold, and how many characters their texts have."""
    total = 0
    for number, row in enumerate(rows):
        length = sum(len(value) for value in row if isinstance(value, str))
        if number and total + length > _LONGEST:
            return rows[:number], total
        total += length
    return rows, total


class Listing:
    """Lists one table's rows of an account, newest first.

    A table without ``account_id`` needs a condition that excludes other accounts' rows.

    Args:
        table: The table.
        columns: Named like the fields of the contract's model, in the same order.
        filters: Columns that callers can filter by.
        where: Conditions of every page.
        reach: Whose platforms' rows are listed, if the table has platforms.
        by: The column to order by; the creation time by default.
        earliest_first: Whether the smallest value of ``by`` comes first instead of the greatest.
        name: The list's name in its cursors; the table's by default.
    """

    def __init__(
        self,
        table: Table,
        columns: Sequence[NamedColumn[Any]],
        filters: Iterable[Column[Any]] = (),
        where: Iterable[ColumnElement[bool]] = (),
        *,
        reach: Reach = Reach.SPECIFIED,
        by: Column[Any] | None = None,
        earliest_first: bool = False,
        name: str = "",
    ) -> None:
        self._order = table.c.created_at if by is None else by, table.c.id
        self._names = [str(column.name) for column in columns]
        self._filters = {str(column.name): column == bindparam(column.name) for column in filters}
        self._where = list(where)
        if "account_id" in table.c:
            self._where.append(table.c.account_id == bindparam("account_id"))
        if "platform" in table.c:
            self._where.append(reach.takes(table.c.platform))
        self._earliest_first = earliest_first
        self._cursor_name = name or table.name
        # The row's position is selected even if the contract's model lacks it.
        hidden = [column for column in self._order if column.name not in self._names]
        selected = [*columns, *hidden]
        self._columns = [on_the_wire(column) for column in selected]
        names = [column.name for column in selected]
        self._place = names.index(self._order[0].name), names.index("id")
        self.statement = cache(self._statement)

    async def answer(self, service: Service, account_id: UUID, query: PageQuery, **given: object) -> Response:
        """Send one page as the contract's envelope; ``given`` as for `page`. Raises ApiError."""
        page = await self.page(service, account_id, query, **given)
        envelope = {"data": page.data, "next_cursor": page.next_cursor}
        if page.length <= _LONG:
            return JsonAnswer(to_json(envelope))
        return service.long_answers.admit(account_id, await asyncio.to_thread(to_json, envelope))

    async def page(self, service: Service, account_id: UUID, query: PageQuery, **given: object) -> ListedPage:
        """Read one page.

        ``given`` holds the parameters of the list's conditions, and the value of each filter, None for any.
        Raises ApiError for a bad cursor.
        """
        after = service.cursors.read(self._cursor_name, query.cursor) if query.cursor else None
        values = {name: _plain(value) for name, value in given.items() if value is not None}
        filters = tuple(name for name in self._filters if name in values)
        statement = self.statement(filters, is_first=after is None)
        values |= {"account_id": account_id, "most": query.limit + 1}
        if after is not None:
            values |= {"after_at": after.at, "after_id": after.id}

        def work(connection: Connection) -> tuple[Sequence[Row[Any]], int, bool]:
            found = connection.execute(statement, values).all()
            shown, length = _fitting(found[: query.limit])
            return shown, length, len(found) > len(shown)

        shown, length, has_more = await service.database.read(work, share=account_id)
        cursor = None
        if has_more:
            cursor = service.cursors.write(self._cursor_name, self._position(shown[-1]))
        # Not strict: the row's position follows the named columns.
        return ListedPage([dict(zip(self._names, row, strict=False)) for row in shown], cursor, length)

    def _position(self, row: Row[Any]) -> Position:
        at, row_id = (row[index] for index in self._place)
        moment: datetime | date = datetime.fromisoformat(at) if isinstance(at, str) else at
        return Position(moment, UUID(row_id))

    def _statement(self, filters: Sequence[str], *, is_first: bool) -> Select[Any]:
        """Build the statement of a page.

        Its parameters are those of the conditions, the account, the filters, ``most`` and the place:
        ``after_at`` and ``after_id``. One row more than shown says whether there is another page.
        """
        by, row_id = self._order
        wanted = [*self._where, *(self._filters[name] for name in filters)]
        order = (by, row_id) if self._earliest_first else (by.desc(), row_id.desc())
        rows = select(*self._columns).where(*wanted).order_by(*order).limit(bindparam("most"))
        if is_first:
            return rows
        after = tuple_(bindparam("after_at", type_=by.type), bindparam("after_id", type_=row_id.type))
        here = tuple_(by, row_id)
        return rows.where(here > after if self._earliest_first else here < after)


def _plain(value: object) -> object:
    """Return an enum member's value: psycopg would write its name."""
    return value.value if isinstance(value, Enum) else value


class WireTime(UtcMillis):
    """Reads a stored time as the contract's text."""

    cache_ok = True

    def result_processor(self, _dialect: Dialect, _coltype: object) -> Callable[[Any], Any]:
        return timestamp


class WireId(TypeDecorator[str]):
    """Reads a stored id as text."""

    impl = Uuid
    cache_ok = True

    def result_processor(self, dialect: Dialect, _coltype: object) -> Callable[[Any], Any]:
        return _text if dialect.supports_native_uuid else dashed


def on_the_wire(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the column, with ids and times read as text."""
    if isinstance(column.type, UtcMillis):
        return type_coerce(column, WireTime)
    return type_coerce(column, WireId) if isinstance(column.type, Uuid) else column


def dashed(digits: str | None) -> str | None:
    """Return a UUID of 32 digits in its usual form."""
    if digits is None:
        return None
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def timestamp(milliseconds: int | None) -> str | None:
    """Format ms since 1970 like ``format_timestamp``, in half the time."""
    if milliseconds is None:
        return None
    seconds, rest = divmod(milliseconds, 1_000)
    return f"{_second(seconds)}.{rest:03}Z"


@lru_cache(maxsize=16_384)
def _second(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).isoformat()


def _text(value: object) -> str | None:
    return None if value is None else str(value)
