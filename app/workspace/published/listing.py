"""Listing what was published, newest first, without a hole where a listing was broken off."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

from app.client import ServiceClient, ValidationRefused
from app.contract.base import Timestamp
from app.contract.history import ContentRecord
from app.contract.pagination import Page

Put = Callable[[list[ContentRecord]], Awaitable[int]]
"""Keeps records; gives how many were new or different."""


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


class Listing:
    """One pass. ``ground`` is how far it is complete, after every page."""

    def __init__(self, client: ServiceClient, put: Put, ground: Ground) -> None:
        self.ground = ground
        self._client = client
        self._put = put

    async def run(self) -> AsyncIterator[int]:
        """Gives how much was new, page by page. Raises ClientError or DatabaseError."""
        async for news in self._from_the_top():
            yield news
        if self.ground.gap:
            async for news in self._through_the_gap():
                yield news

    async def _from_the_top(self) -> AsyncIterator[int]:
        before, newest = self.ground, None
        async for page in self._client.content_history():
            newest = newest or _newest(page)
            news = await self._put(page.data)
            yield news
            if page.next_cursor is None:
                break
            if not news and _reaches(page, before.newest):
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
        async for page in self._client.content_history(cursor):
            news = await self._put(page.data)
            yield news
            if page.next_cursor is None or (not news and _reaches(page, known.below)):
                break
            self.ground = known.model_copy(update={"gap": page.next_cursor})
        self.ground = Ground(newest=known.newest)


def _newest(page: Page[ContentRecord]) -> Timestamp | None:
    return max((record.created_at for record in page.data), default=None)


def _reaches(page: Page[ContentRecord], known: Timestamp | None) -> bool:
    """Whether everything that follows a page is known."""
    return known is not None and all(record.created_at <= known for record in page.data[-1:])
