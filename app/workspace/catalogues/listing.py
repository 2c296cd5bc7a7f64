"""Listing what only grows, newest first, without a hole where a listing was broken off."""

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
        newest: Everything up to this time is known, but for the gap.
        gap: Where an earlier listing was broken off: the cursor to go on from. Empty for no gap.
        below: What is known again below the gap; None where nothing is.
    """

    model_config = ConfigDict(frozen=True)

    newest: Timestamp | None = None
    gap: str = ""
    below: Timestamp | None = None


GROUND_SHAPE: Final = TypeAdapter(Ground)


@dataclass(frozen=True, slots=True)
class Source(Generic[Item]):
    """What is listed.

    Attributes:
        pages: Every page, newest first; with a cursor those that follow it.
        put: Keeps items; gives how many were new or different.
        stamp: The time by which the pages are ordered.
        settles: For how long after that time an item may still change.
    """

    pages: Callable[[str | None], AsyncIterator[Page[Item]]]
    put: Callable[[list[Item]], Awaitable[int]]
    stamp: Callable[[Item], datetime]
    settles: timedelta = timedelta()


class Listing(Generic[Item]):
    """One pass. ``ground`` is how far it is complete, after every page."""

    def __init__(self, source: Source[Item], ground: Ground) -> None:
        self.ground = ground
        self._source = source

    async def run(self) -> AsyncIterator[int]:
        """Gives how much was new, page by page. Raises ClientError or DatabaseError."""
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
            if not before.gap:  # of two gaps only the lower one can be kept; the upper one is listed again
                self.ground = Ground(newest=newest, gap=page.next_cursor, below=before.newest)
        self.ground = Ground(newest=newest or before.newest)

    async def _through_the_gap(self) -> AsyncIterator[int]:
        with suppress(ValidationRefused):  # the cursor is no longer taken: then all is listed
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
        """Up to when nothing changes any more."""
        newest = max((self._source.stamp(item) for item in page.data), default=None)
        return newest - self._source.settles if newest is not None else None

    def _reaches(self, page: Page[Item], known: Timestamp | None) -> bool:
        """Whether everything that follows a page is known."""
        return known is not None and all(self._source.stamp(item) <= known for item in page.data[-1:])
