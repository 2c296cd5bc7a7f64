"""Cursor pagination: the envelope of every list, and its query."""

from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import BeforeValidator, FailFast, Field, PrivateAttr
from pydantic_core import PydanticCustomError

from app.contract.base import Omittable, RequestModel, ResponseModel
from app.contract.limits import PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX

Item = TypeVar("Item")

_CURSOR_MAX: Final = 8_192
"""Maximum length of a cursor in characters, since it becomes part of a URL."""


def _read_following(cursor: Any) -> Any:
    if isinstance(cursor, str) and len(cursor) > _CURSOR_MAX:
        message = "must have at most {longest} characters"
        raise PydanticCustomError("cursor_too_long", message, {"longest": _CURSOR_MAX})
    return None if cursor == "" else cursor


Following = Annotated[str | None, BeforeValidator(_read_following)]
"""An opaque cursor. None means the last page; some services send an empty string instead.

Rejects cursors too long for a URL, because escaping megabytes takes seconds.
"""


class Page(ResponseModel, Generic[Item]):
    """A page of items, newest first. ``next_cursor`` points to the next page."""

    data: Annotated[list[Item], FailFast()]
    next_cursor: Following
    _bytes: int = PrivateAttr(default=0)

    @property
    def bytes_read(self) -> int:
        """Size of the response this page was parsed from, in bytes."""
        return self._bytes

    def note_size(self, size: int) -> None:
        """Set the size of the response, in bytes."""
        self._bytes = size


class PageQuery(RequestModel):
    """Selects a page of a list, and its length."""

    limit: Annotated[int, Field(ge=1, le=PAGE_LIMIT_MAX)] = PAGE_LIMIT_DEFAULT
    cursor: Omittable[str] = None
