"""Following cursors."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, TypeVar

from app.client.errors import AnswerNotUnderstood
from app.contract.pagination import Page, PageQuery

Item = TypeVar("Item")
Query = TypeVar("Query", bound=PageQuery)

_EMPTY_MAX: Final = 20
"""So many empty pages in a row that another one follows are not believed."""


class Course:
    """Where a listing has been, so that it ends also where the service leads it in a circle."""

    def __init__(self, begin: str | None = None) -> None:
        """``begin``: the cursor that the first page is asked for with."""
        self._been = {begin}
        self._empty = 0

    def after(self, page: Page[Any]) -> str | None:
        """The cursor to go on with; None at the end.

        Raises AnswerNotUnderstood for one that was there already, and for pages of nothing without end.
        """
        following = page.next_cursor
        self._empty = 0 if page.data else self._empty + 1
        if following is None:
            return None
        if following in self._been:
            raise AnswerNotUnderstood("the same cursor again")
        if self._empty > _EMPTY_MAX:
            raise AnswerNotUnderstood("empty pages without end")
        self._been.add(following)
        return following


async def pages(fetch: Callable[[Query], Awaitable[Page[Item]]], query: Query) -> AsyncIterator[Page[Item]]:
    """Every page. Raises AnswerNotUnderstood where there is no end."""
    course = Course(query.cursor)
    while True:
        page = await fetch(query)
        yield page
        following = course.after(page)
        if following is None:
            return
        query = query.model_copy(update={"cursor": following})
