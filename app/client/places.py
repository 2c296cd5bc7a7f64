"""Accounts on companion networks, and their posts. Requires the companion feature ``places``."""

from collections.abc import AsyncIterator
from uuid import UUID

from app.client.answers import ACCOUNTS_MAX, pages, read
from app.client.errors import RetryPolicy
from app.client.publishing import PublishingCalls
from app.client.wire import Wire
from app.contract.companion import ConnectPlace, FinishPost, Place, PlaceListQuery
from app.contract.connections import ConnectionInitiation
from app.contract.limits import COMPANION_PREFIX
from app.contract.pagination import Page
from app.contract.places import ConnectServer
from app.contract.posts import Post


class PlaceCalls(PublishingCalls):
    """Implementation of ``ServiceClient.places``."""

    def __init__(self, wire: Wire, retries: RetryPolicy) -> None:
        super().__init__(wire, retries, f"{COMPANION_PREFIX}/places")

    def accounts(self) -> AsyncIterator[Page[Place]]:
        """Yield every page of accounts, newest first, including those that have to be reconnected."""

        async def fetch(query: PlaceListQuery) -> Page[Place]:
            return await self._get("", Page[Place], query)

        return pages(fetch, PlaceListQuery(limit=100, include_unavailable=True), ACCOUNTS_MAX)

    async def connect(self, new: ConnectPlace) -> Place:
        """Connect an account, or renew its access. Never retried: networks limit the sign-ins of an hour."""
        return await read(await self._wire.call("POST", self._prefix, body=new.model_dump_json()), Place)

    async def initiate(self, new: ConnectServer) -> ConnectionInitiation:
        """Start connecting an account on a server that the user names. Never retried: the user does."""
        path = f"{self._prefix}/initiate"
        answer = await self._wire.call("POST", path, body=new.model_dump_json(exclude_none=True))
        return await read(answer, ConnectionInitiation)

    async def disconnect(self, place_id: UUID) -> Place:
        """Disconnect an account, and return it as it is then."""
        path = f"{self._prefix}/{place_id}"
        return await self._safely(lambda: self._wire.call("DELETE", path), Place)

    async def finish_post(self, post_id: UUID, done: FinishPost) -> Post:
        """Report that the user has published a post by hand. Requires the feature ``finishing``.

        Never retried: the service refuses a second report.
        """
        body = done.model_dump_json(exclude_unset=True)
        return await read(await self._wire.call("PUT", self._finished(post_id), body=body), Post)

    async def take_back_post(self, post_id: UUID) -> Post:
        """Undo ``finish_post`` within ten minutes; later, ValidationRefused is raised."""
        return await read(await self._wire.call("DELETE", self._finished(post_id)), Post)

    def _finished(self, post_id: UUID) -> str:
        return f"{self._prefix}/posts/{post_id}/finished"
