"""Cursor pagination: the envelope of every list, and the query that asks for a page."""

from typing import Annotated, Generic, TypeVar

from pydantic import Field

from app.contract.base import Omittable, RequestModel, ResponseModel
from app.contract.limits import PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX

Item = TypeVar("Item")


class Page(ResponseModel, Generic[Item]):
    """Items newest first. ``next_cursor`` is opaque; None means the last page."""

    data: list[Item]
    next_cursor: str | None


class PageQuery(RequestModel):
    """Which page of a list, and how long."""

    limit: Annotated[int, Field(ge=1, le=PAGE_LIMIT_MAX)] = PAGE_LIMIT_DEFAULT
    cursor: Omittable[str] = None
