"""Cursor pagination: the envelope of every list, and the query that asks for a page."""

from typing import Annotated, Generic, TypeVar

from pydantic import BeforeValidator, FailFast, Field

from app.contract.base import Omittable, RequestModel, ResponseModel
from app.contract.limits import PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX

Item = TypeVar("Item")

Following = Annotated[str | None, BeforeValidator(lambda told: None if told == "" else told)]
"""An opaque cursor. None is the last page; some services say so with an empty text."""


class Page(ResponseModel, Generic[Item]):
    """Items newest first. ``next_cursor`` leads to the next page."""

    data: Annotated[list[Item], FailFast()]
    next_cursor: Following


class PageQuery(RequestModel):
    """Which page of a list, and how long."""

    limit: Annotated[int, Field(ge=1, le=PAGE_LIMIT_MAX)] = PAGE_LIMIT_DEFAULT
    cursor: Omittable[str] = None
