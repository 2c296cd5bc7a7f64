"""Following cursors."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, TypeVar

from app.client.errors import AnswerNotUnderstood, ListTooLong
from app.contract.pagination import Page, PageQuery

Item = TypeVar("Item")
Query = TypeVar("Query", bound=PageQuery)

_EMPTY_MAX: Final = 20
"""Maximum number of consecutive empty pages with a cursor."""
ITEMS_MAX: Final = 250_000
"""Maximum number of items in a list: a hundred posts a day for seven years."""
ACCOUNTS_MAX: Final = 2_000
"""Maximum number of connected accounts."""
_BYTES_MAX: Final = 1_000_000_000
_READING_MAX_S: Final = 30 * 60.0


class Course:
    """Tracks the cursors of a list, so that listing ends even if the service returns a cycle."""

    def __init__(self, begin: str | None = None, most: int = ITEMS_MAX) -> None:
        """``begin``: cursor of the first page. ``most``: maximum number of items."""
        self._been = {hash(begin)}  # hashes save memory: cursors can be long and numerous
        self._empty = 0
        self._left, self._bytes_left, self._seconds_left = most, _BYTES_MAX, _READING_MAX_S

    def after(self, page: Page[Any], seconds: float = 0.0) -> str | None:
        """Return the next cursor; None at the end.

        Raises AnswerNotUnderstood for a repeated cursor or too many empty pages. Raises ListTooLong if there
        are more pages but already too many items or bytes, or if reading took too long. ``seconds`` is how
        long this page took.
        """
        following = page.next_cursor
        self._left -= len(page.data)
        self._bytes_left -= page.bytes_read
        self._seconds_left -= seconds
        self._empty = 0 if page.data else self._empty + 1
        if following is None:
            return None
        if hash(following) in self._been:
            raise AnswerNotUnderstood("the same cursor again")
        if self._empty > _EMPTY_MAX:
            raise AnswerNotUnderstood("too many empty pages")
        if min(self._left, self._bytes_left, self._seconds_left) <= 0:
            raise ListTooLong("an endless list")
        self._been.add(hash(following))
        return following


async def pages(
    fetch: Callable[[Query], Awaitable[Page[Item]]], query: Query, most: int = ITEMS_MAX
) -> AsyncIterator[Page[Item]]:
    """Yield every page. Raises like ``Course`` if the list doesn't end."""
    course = Course(query.cursor, most)
    loop = asyncio.get_running_loop()
    while True:
        began = loop.time()
        page = await fetch(query)
        took = loop.time() - began
        yield page
        following = course.after(page, took)
        if following is None:
            return
        query = query.model_copy(update={"cursor": following})
