"""Following cursors."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from app.client.errors import AnswerNotUnderstood
from app.contract.pagination import Page, PageQuery

Item = TypeVar("Item")
Query = TypeVar("Query", bound=PageQuery)


async def pages(fetch: Callable[[Query], Awaitable[Page[Item]]], query: Query) -> AsyncIterator[Page[Item]]:
    """Every page. A cursor that comes twice in a row would never end, and ends the listing instead."""
    while True:
        page = await fetch(query)
        yield page
        if page.next_cursor is None:
            return
        if page.next_cursor == query.cursor:
            raise AnswerNotUnderstood("the same cursor again")
        query = query.model_copy(update={"cursor": page.next_cursor})
