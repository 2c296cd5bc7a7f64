"""Cursor pagination: the envelope of every list, and the query that asks for a page."""

from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import BeforeValidator, FailFast, Field, PrivateAttr
from pydantic_core import PydanticCustomError

from app.contract.base import Omittable, RequestModel, ResponseModel
from app.contract.limits import PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX

Item = TypeVar("Item")

_CURSOR_MAX: Final = 8_192
"""Longest cursor that is sent back, in characters: it is part of an address."""


def _read_following(told: Any) -> Any:
    if isinstance(told, str) and len(told) > _CURSOR_MAX:
        message = "must have at most {longest} characters"
        raise PydanticCustomError("cursor_too_long", message, {"longest": _CURSOR_MAX})
    return None if told == "" else told


Following = Annotated[str | None, BeforeValidator(_read_following)]
"""An opaque cursor. None is the last page; some services say so with an empty text.

One that is longer than an address may be is refused: writing megabytes into an address takes seconds.
"""


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
