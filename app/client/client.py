"""One method per endpoint that the app uses."""

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from datetime import datetime
from typing import BinaryIO, TypeVar
from uuid import UUID

from pydantic import BaseModel

from app.client.answers import ACCOUNTS_MAX, pages, read, require_stored
from app.client.errors import (
    AnswerNotUnderstood,
    EnvelopeMissing,
    Forbidden,
    NotFound,
    RetryPolicy,
    ValidationRefused,
)
from app.client.events import EventStream, ServiceEvent
from app.client.media import MediaCalls
from app.client.moving import MovingCalls
from app.client.publishing import AnyPostCalls, PlaceCalls, PublishingCalls, TikTokCalls, as_query, of_id
from app.client.transfers import Clocks
from app.client.webhooks import WebhookCalls
from app.client.wire import Transport, Wire
from app.contract.companion import (
    AnyPost,
    ApiKey,
    AttemptList,
    CompanionRoot,
    CompleteConnection,
    ConnectionOutcome,
    CreateApiKey,
    CreatedApiKey,
    DeliveryDetails,
    PostRangeQuery,
    QuotaList,
    ReconnectAccount,
    ReportOutcome,
    SignInLink,
)
from app.contract.connections import (
    BoardListQuery,
    Connection,
    ConnectionInitiation,
    ConnectionListQuery,
    InitiateConnection,
    PinterestBoardPage,
    Reauthorization,
)
from app.contract.enums import ConnectionPlatform
from app.contract.limits import API_PREFIX, COMPANION_PREFIX, POST_RANGE_LIMIT_MAX
from app.contract.packs import MadePack, MakePack, PackSummary, ReadPack, UsePack
from app.contract.pagination import Page, PageQuery
from app.contract.platform_setup import PlatformSelfTest, PlatformSetup, PlatformSetupList, SetPlatformApp
from app.contract.posts import (
    BulkCreatePosts,
    BulkCreateResult,
    CreatePost,
    Post,
)
from app.contract.usage import Usage
from app.network import Way

Model = TypeVar("Model", bound=BaseModel)
Item = TypeVar("Item")
Query = TypeVar("Query", bound=PageQuery)


class ServiceClient(PublishingCalls):
    """Client of any service that implements the contract. A failed call always raises ClientError.

    Raises ValueError for a URL that isn't https or a malformed key. Without ``ssl_context``, it trusts the
    system's certificates. ``transport`` replaces the network. Without ``way``, it uses no proxy.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        ssl_context: ssl.SSLContext | None = None,
        transport: Transport | None = None,
        retries: RetryPolicy | None = None,
        clocks: Clocks | None = None,
        way: Way | None = None,
    ) -> None:
        """``clocks`` replaces the clocks that detect a stalled upload."""
        wire = Wire(base_url, api_key, ssl_context=ssl_context, transport=transport, clocks=clocks, way=way)
        super().__init__(wire, retries or RetryPolicy(), API_PREFIX)
        self.media = MediaCalls(self._wire, self._retries)
        self.any_posts = AnyPostCalls(self._wire, self._retries)
        self.places = PlaceCalls(self._wire, self._retries)
        self.tiktok = TikTokCalls(self._wire, self._retries)
        self.moving = MovingCalls(self._wire, self._retries)
        self.webhooks = WebhookCalls(self._wire, self._retries)
        self._events = EventStream(self._wire, self._retries)

    def __repr__(self) -> str:
        return f"ServiceClient({self.base_url!r})"

    @property
    def base_url(self) -> str:
        """The service's URL, without a trailing slash."""
        return self._wire.base_url

    def use_key(self, api_key: str) -> None:
        """Use another key from now on. Raises ValueError if it's malformed."""
        self._wire.use_key(api_key)

    def notice(self, heard: Callable[[], None]) -> None:
        """Call ``heard`` whenever the service sends anything, even a keep-alive."""
        self._wire.heard = heard

    def go_another_way(self) -> None:
        """Reconnect open streams. Call this after the proxy has changed."""
        self._wire.go_another_way()

    async def create_posts(self, new: Sequence[CreatePost]) -> BulkCreateResult:
        """Create up to 30 posts, each accepted or rejected separately.

        Retried only if all have an idempotency key, like ``create_post``.
        """
        items = [one.model_dump(mode="json", exclude_unset=True) for one in new]
        body = BulkCreatePosts(posts=items).model_dump_json()

        async def call() -> BulkCreateResult:
            return await read(
                await self._wire.call("POST", f"{API_PREFIX}/posts/bulk", body=body), BulkCreateResult
            )

        return await (self._retries.run(call) if all(one.idempotency_key for one in new) else call())

    async def list_connections(self, query: ConnectionListQuery | None = None) -> Page[Connection]:
        return await self._get("/connections", Page[Connection], query or ConnectionListQuery())

    def connections(self, query: ConnectionListQuery | None = None) -> AsyncIterator[Page[Connection]]:
        """Yield every page of connections, newest first, including those that need reauthorization."""
        query = query or ConnectionListQuery(limit=100, include_unavailable=True)
        return pages(self.list_connections, query, ACCOUNTS_MAX)

    async def get_connection(self, connection_id: UUID) -> Connection:
        return await self._get(f"/connections/{connection_id}", Connection)

    async def list_boards(self, connection_id: UUID, query: BoardListQuery) -> PinterestBoardPage:
        """Return a page of a Pinterest account's boards; its ``bookmark`` points to the next one."""
        return await self._get(f"/connections/{connection_id}/boards", PinterestBoardPage, query)

    async def initiate_connection(self, request: InitiateConnection) -> ConnectionInitiation:
        """Start a browser flow. Never retried: each call creates another pending connection."""
        body = request.model_dump_json(exclude_unset=True)
        return await read(
            await self._wire.call("POST", f"{API_PREFIX}/connections/initiate", body=body),
            ConnectionInitiation,
        )

    async def reauthorize(self, connection_id: UUID) -> Reauthorization:
        """Start a browser flow for an account whose access has ended. Never retried."""
        path = f"{API_PREFIX}/connections/{connection_id}/reauth"
        return await read(await self._wire.call("POST", path), Reauthorization)

    async def usage(self) -> Usage:
        return await self._get("/usage", Usage)

    async def companion(self) -> CompanionRoot | None:
        """Return the service's companion API; None if it has none."""
        try:
            return await self._safely(lambda: self._wire.call("GET", COMPANION_PREFIX), CompanionRoot)
        except (NotFound, Forbidden, ValidationRefused, EnvelopeMissing, AnswerNotUnderstood):
            return None

    async def attempts(self, post_id: UUID) -> AttemptList:
        """Return every attempt to publish a post. Requires the companion feature ``attempts``."""
        path = f"{COMPANION_PREFIX}/posts/{post_id}/attempts"
        return await self._safely(lambda: self._wire.call("GET", path), AttemptList)

    async def report_outcome(self, post_id: UUID, *, is_live: bool) -> Post:
        """Report what somebody found after a lost answer. Requires the companion feature ``outcomes``."""
        body = ReportOutcome(is_live=is_live).model_dump_json()
        path = f"{COMPANION_PREFIX}/posts/{post_id}/outcome"
        return of_id(await self._safely(lambda: self._wire.call("PUT", path, body=body), Post), post_id)

    def events(
        self, after: str = "", on_listening: Callable[[bool], None] | None = None
    ) -> AsyncGenerator[ServiceEvent, None]:
        """Yield changes until the caller stops. Requires the companion feature ``events``.

        Reconnects automatically and resumes where it was. ``reset`` means that everything must be reloaded.
        It comes first unless the stream can resume from ``after``, an event ID. ``on_listening`` receives
        whether the stream is open. Raises ClientError if waiting doesn't help.
        """
        return self._events.follow(after, on_listening)

    async def list_posts_between(self, query: PostRangeQuery) -> Page[AnyPost]:
        """Return a page of posts by time. Requires the companion feature ``posts``."""
        params, path = as_query(query), f"{COMPANION_PREFIX}/posts"
        return await self._safely(lambda: self._wire.call("GET", path, query=params), Page[AnyPost])

    def posts_between(self, start: datetime, end: datetime) -> AsyncIterator[Page[AnyPost]]:
        """Yield every page of posts published from ``start`` (inclusive) to ``end`` (exclusive)."""
        query = PostRangeQuery(start=start, end=end, limit=POST_RANGE_LIMIT_MAX)
        return pages(self.list_posts_between, query)

    async def delivery(self, delivery_id: UUID) -> DeliveryDetails:
        """Return the content of a webhook delivery. Requires the companion feature ``deliveries``."""
        path = f"{COMPANION_PREFIX}/deliveries/{delivery_id}"
        return await self._safely(lambda: self._wire.call("GET", path), DeliveryDetails)

    async def quotas(self) -> QuotaList:
        """Return the rate limits and remaining calls. Requires the companion feature ``quotas``."""
        return await self._safely(lambda: self._wire.call("GET", f"{COMPANION_PREFIX}/quotas"), QuotaList)

    async def list_keys(self, query: PageQuery | None = None) -> Page[ApiKey]:
        """Return a page of keys. Like the next three methods, requires the companion feature ``keys``."""
        params = as_query(query or PageQuery())
        path = f"{COMPANION_PREFIX}/keys"
        return await self._safely(lambda: self._wire.call("GET", path, query=params), Page[ApiKey])

    async def create_key(self, new: CreateApiKey) -> CreatedApiKey:
        """Create a key. Never retried: each call creates another key, and only its response contains it."""
        body = new.model_dump_json(exclude_unset=True)
        return await read(await self._wire.call("POST", f"{COMPANION_PREFIX}/keys", body=body), CreatedApiKey)

    async def revoke_key(self, key_id: UUID) -> ApiKey:
        path = f"{COMPANION_PREFIX}/keys/{key_id}"
        return await self._safely(lambda: self._wire.call("DELETE", path), ApiKey)

    async def sign_in_link(self) -> SignInLink:
        """Return a one-time URL that opens the integrations page in a browser."""
        return await read(await self._wire.call("POST", f"{COMPANION_PREFIX}/sign-in-link"), SignInLink)

    async def complete_connection(self, address: str) -> ConnectionOutcome:
        """Complete a browser flow by hand. Never retried. Requires the companion feature ``complete``."""
        body = CompleteConnection(address=address).model_dump_json()
        path = f"{COMPANION_PREFIX}/connections/complete"
        return await read(await self._wire.call("POST", path, body=body), ConnectionOutcome)

    async def reconnect(self, connection_id: UUID, redirect_url: str) -> ConnectionInitiation:
        """Start a browser flow for a connected account. Requires the companion feature ``reconnect``.

        Never retried.
        """
        body = ReconnectAccount(redirect_url=redirect_url).model_dump_json()
        path = f"{COMPANION_PREFIX}/connections/{connection_id}/reconnect"
        return await read(await self._wire.call("POST", path, body=body), ConnectionInitiation)

    async def connection_attempt(self, attempt_id: UUID) -> ConnectionOutcome:
        """Return the status of a browser flow. Requires the companion feature ``reconnect``."""
        path = f"{COMPANION_PREFIX}/connections/attempts/{attempt_id}"
        return await self._safely(lambda: self._wire.call("GET", path), ConnectionOutcome)

    async def cancel_connection_attempt(self, attempt_id: UUID) -> ConnectionOutcome:
        """Cancel a browser flow that hasn't ended. Requires the companion feature ``reconnect``."""
        path = f"{COMPANION_PREFIX}/connections/attempts/{attempt_id}"
        return await self._safely(lambda: self._wire.call("DELETE", path), ConnectionOutcome)

    async def platforms(self) -> list[PlatformSetup]:
        """Return the setup of all platforms. For the owner; requires the companion feature ``platforms``."""
        path = f"{COMPANION_PREFIX}/platforms"
        return (await self._safely(lambda: self._wire.call("GET", path), PlatformSetupList)).data

    async def test_platform(self, platform: ConnectionPlatform) -> PlatformSelfTest:
        """Run a platform's self-test, which takes a few seconds. Requirements as for ``platforms``."""
        path = f"{COMPANION_PREFIX}/platforms/{platform.value}/self-test"
        return await self._safely(lambda: self._wire.call("POST", path), PlatformSelfTest)

    async def set_platform_app(self, platform: ConnectionPlatform, app: SetPlatformApp) -> PlatformSetup:
        """Set the app that was registered with a platform. Requirements as for ``platforms``."""
        path = f"{COMPANION_PREFIX}/platforms/{platform.value}/app"
        body = app.model_dump_json(exclude_unset=True)
        return await self._safely(lambda: self._wire.call("PUT", path, body=body), PlatformSetup)

    async def remove_platform_app(self, platform: ConnectionPlatform) -> PlatformSetup:
        """Remove the app that was set for a platform. Requirements as for ``platforms``."""
        path = f"{COMPANION_PREFIX}/platforms/{platform.value}/app"
        return await self._safely(lambda: self._wire.call("DELETE", path), PlatformSetup)

    async def make_pack(self, wanted: MakePack) -> MadePack:
        """Make a setup pack. Never retried. For the owner; requires the companion feature ``packs``."""
        body = wanted.model_dump_json(exclude_unset=True)
        return await read(await self._wire.call("POST", f"{COMPANION_PREFIX}/packs", body=body), MadePack)

    async def read_pack(self, content: str) -> PackSummary:
        """Return what's in a setup pack, storing nothing. Requirements as for ``make_pack``."""
        path, body = f"{COMPANION_PREFIX}/packs/read", ReadPack(content=content).model_dump_json()
        return await self._safely(lambda: self._wire.call("POST", path, body=body), PackSummary)

    async def use_pack(self, given: UsePack) -> list[PlatformSetup]:
        """Set the apps of a setup pack. Requirements as for ``make_pack``."""
        path, body = f"{COMPANION_PREFIX}/packs/use", given.model_dump_json(exclude_unset=True)
        return (await self._safely(lambda: self._wire.call("POST", path, body=body), PlatformSetupList)).data

    async def picture(self, url: str, into: BinaryIO, most: int) -> None:
        """Download from an https URL returned by the service, without the key or redirects. Never retried.

        Raises AnswerNotUnderstood for more than ``most`` bytes or another kind of URL.
        """
        require_stored(await self._wire.fetch(url, into, most))

    async def visit(self, url: str) -> int:
        """Request a page like a browser, without the key or redirects, and return the status."""
        return await self._wire.visit(url)

    async def close(self) -> None:
        await self._wire.close()
