"""Calls for TikTok: options and choices."""

from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel

from app.client.answers import read
from app.client.bodies import Answer
from app.client.errors import RetryPolicy
from app.client.wire import Wire
from app.contract.limits import COMPANION_PREFIX
from app.contract.tiktok import TikTokAccount, TikTokChoice, TikTokCreator, TikTokPost, UndecidedPosts

Model = TypeVar("Model", bound=BaseModel)


class TikTokCalls:
    """``ServiceClient.tiktok``. Requires the companion feature ``tiktok``.

    A failed call always raises ClientError.
    """

    def __init__(self, wire: Wire, retries: RetryPolicy) -> None:
        self._wire = wire
        self._retries = retries

    async def creator(self, connection_id: UUID) -> TikTokCreator:
        """Return the options TikTok currently offers an account."""
        return await self._get(f"/connections/{connection_id}/tiktok/creator", TikTokCreator)

    async def account_choice(self, connection_id: UUID) -> TikTokChoice | None:
        """Return the choice for an account's posts that have none of their own."""
        return (await self._get(f"/connections/{connection_id}/tiktok", TikTokAccount)).choice

    async def choose_for_account(
        self, connection_id: UUID, choice: TikTokChoice | None
    ) -> TikTokChoice | None:
        """Set that choice; None removes it."""
        body = TikTokAccount(choice=choice).model_dump_json()
        path = f"{COMPANION_PREFIX}/connections/{connection_id}/tiktok"
        kept = await self._safely(lambda: self._wire.call("PUT", path, body=body), TikTokAccount)
        return kept.choice

    async def post_choice(self, post_id: UUID) -> TikTokChoice | None:
        """Return the choice that applies to a post."""
        return (await self._get(f"/posts/{post_id}/tiktok", TikTokPost)).choice

    async def undecided(self) -> list[UUID]:
        """Return posts that will fail because nobody chose who can see them."""
        return (await self._get("/tiktok/undecided", UndecidedPosts)).data

    async def _get(self, path: str, model: type[Model]) -> Model:
        return await self._safely(lambda: self._wire.call("GET", COMPANION_PREFIX + path), model)

    async def _safely(self, call: Callable[[], Awaitable[Answer]], model: type[Model]) -> Model:
        async def call_and_read() -> Model:
            return await read(await call(), model)

        return await self._retries.run(call_and_read)
