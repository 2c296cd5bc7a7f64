"""Cursor pagination: the envelope of every list, and the query that asks for a page."""

from typing import Annotated, Generic, TypeVar

from pydantic import BeforeValidator, FailFast, Field, PrivateAttr

from app.contract.base import Omittable, RequestModel, ResponseModel
from app.contract.limits import PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX

Item = TypeVar("Item")

Following = Annotated[str | None, BeforeValidator(lambda told: None if told == "" else told)]
"""An opaque cursor. None is the last page; some services say so with an empty text."""


class Page(ResponseModel, Generic[Item]):
    """Items newest first. ``next_cursor`` leads to the next page."""

    data: Annotated[list[Item], FailFast()]
    next_cursor: Following
    _bytes: int = PrivateAttr(default=0)

    @property
    def bytes_read(self) -> int:
        """The size of the answer that a client read this page from."""
        return self._bytes

    def note_size(self, size: int) -> None:
        """Keeps the size of the answer, in bytes."""
        self._bytes = size


class PageQuery(RequestModel):
    """Which page of a list, and how long."""

    limit: Annotated[int, Field(ge=1, le=PAGE_LIMIT_MAX)] = PAGE_LIMIT_DEFAULT
    cursor: Omittable[str] = None
