"""Lists a collection that only grows, newest first, without gaps where a listing was interrupted."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

from app.client import ValidationRefused
from app.contract.base import Timestamp
from app.contract.pagination import Page

Item = TypeVar("Item", bound=BaseModel)


class Ground(BaseModel):
    """How far the listing is complete.

    Attributes:
        newest: Everything up to this time is known, except for the gap.
        gap: Cursor where an earlier listing was interrupted. Empty for no gap.
        below: Newest time that is known below the gap; None if nothing is.
    """

    model_config = ConfigDict(frozen=True)

    newest: Timestamp | None = None
    gap: str = ""
    below: Timestamp | None = None


GROUND_SHAPE: Final = TypeAdapter(Ground)


@dataclass(frozen=True, slots=True)
class Source(Generic[Item]):
    """A collection to list.

    Attributes:
        pages: Yields every page, newest first, or those after a cursor.
        put: Stores items; returns how many were new or different.
        stamp: The time by which the pages are sorted.
        settles: How long after that time an item may still change.
    """

    pages: Callable[[str | None], AsyncIterator[Page[Item]]]
    put: Callable[[list[Item]], Awaitable[int]]
    stamp: Callable[[Item], datetime]
    settles: timedelta = timedelta()


class Listing(Generic[Item]):
    """One run. ``ground`` says how far it's complete after each page."""

    def __init__(self, source: Source[Item], ground: Ground) -> None:
        self.ground = ground
        self._source = source

    async def run(self) -> AsyncIterator[int]:
        """Yield the number of new items, page by page. Raises ClientError or DatabaseError."""
        async for news in self._from_the_top():
            yield news
        if self.ground.gap:
            async for news in self._through_the_gap():
                yield news

    async def _from_the_top(self) -> AsyncIterator[int]:
        before, newest = self.ground, None
        async for page in self._source.pages(None):
            newest = newest or self._newest(page)
            news = await self._source.put(page.data)
            yield news
            if page.next_cursor is None:
                break
            if not news and self._reaches(page, before.newest):
                self.ground = before.model_copy(update={"newest": newest or before.newest})
                return
            if not before.gap:  # only one gap is stored, the lower one; the upper one is listed again
                self.ground = Ground(newest=newest, gap=page.next_cursor, below=before.newest)
        self.ground = Ground(newest=newest or before.newest)

    async def _through_the_gap(self) -> AsyncIterator[int]:
        with suppress(ValidationRefused):  # the service no longer accepts the cursor: list everything
            async for news in self._from(self.ground.gap):
                yield news
            return
        self.ground = Ground()
        async for news in self._from_the_top():
            yield news

    async def _from(self, cursor: str) -> AsyncIterator[int]:
        known = self.ground
        async for page in self._source.pages(cursor):
            news = await self._source.put(page.data)
            yield news
            if page.next_cursor is None or (not news and self._reaches(page, known.below)):
                break
            self.ground = known.model_copy(update={"gap": page.next_cursor})
        self.ground = Ground(newest=known.newest)

    def _newest(self, page: Page[Item]) -> Timestamp | None:
        """The time up to which nothing changes any more."""
        newest = max((self._source.stamp(item) for item in page.data), default=None)
        return newest - self._source.settles if newest is not None else None

    def _reaches(self, page: Page[Item], known: Timestamp | None) -> bool:
        """Whether everything after a page is known."""
        return known is not None and all(self._source.stamp(item) <= known for item in page.data[-1:])
