"""One method per endpoint that the app uses."""

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, BinaryIO, Final, TypeVar
from uuid import UUID

from pydantic import BaseModel

from app.client.answers import read, require_success
from app.client.bodies import Answer
from app.client.errors import AnswerNotUnderstood, Forbidden, NotFound, ValidationRefused
from app.client.events import EventStream, ServiceEvent
from app.client.media import MediaCalls
from app.client.movement import Clocks
from app.client.pages import pages
from app.client.retries import RetryPolicy
from app.client.tiktok import TikTokCalls
from app.client.webhooks import WebhookCalls
from app.client.wire import Transport, Wire
from app.contract.analytics import AnalyticsQuery, Metric
from app.contract.companion import (
    ApiKey,
    AttemptList,
    CompanionRoot,
    CompleteConnection,
    ConnectionOutcome,
    CreateApiKey,
    CreatedApiKey,
    DeliveryDetails,
    PlatformSelfTest,
    PlatformSetup,
    PlatformSetupList,
    PostRangeQuery,
    QuotaList,
    ReconnectAccount,
    SetPlatformApp,
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
from app.contract.enums import ConnectionPlatform, DeleteAction
from app.contract.history import ContentHistoryQuery, ContentRecord
from app.contract.limits import API_PREFIX, COMPANION_PREFIX, PAGE_LIMIT_MAX, POST_RANGE_LIMIT_MAX
from app.contract.pagination import Page, PageQuery
from app.contract.posts import (
    BulkCreatePosts,
    BulkCreateResult,
    CreatePost,
    DeletePostQuery,
    Post,
    PostDeleteResult,
    PostListQuery,
    ReschedulePost,
)
from app.contract.usage import Usage
from app.network import Way

ACCOUNTS_MAX: Final = 2_000

Model = TypeVar("Model", bound=BaseModel)
Item = TypeVar("Item")
Query = TypeVar("Query", bound=PageQuery)


class ServiceClient:
    """A service that keeps the contract. A failed call raises ClientError and nothing else.

    Raises ValueError for an address that is not https or a malformed key. Without an ``ssl_context`` the
    system's certificates are trusted. ``transport`` replaces the network; without a ``way`` no proxy is used.
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
        """``clocks`` stand in for those that tell whether an upload stands still."""
        self._wire = Wire(
            base_url, api_key, ssl_context=ssl_context, transport=transport, clocks=clocks, way=way
        )
        self._retries = retries or RetryPolicy()
        self.media = MediaCalls(self._wire, self._retries)
        self.tiktok = TikTokCalls(self._wire, self._retries)
        self.webhooks = WebhookCalls(self._wire, self._retries)
        self._events = EventStream(self._wire, self._retries)

    def __repr__(self) -> str:
        return f"ServiceClient({self.base_url!r})"

    @property
    def base_url(self) -> str:
        """The service's address, without a slash at the end."""
        return self._wire.base_url

    def use_key(self, api_key: str) -> None:
        """Sends another key from now on. Raises ValueError for a malformed one."""
        self._wire.use_key(api_key)

    def notice(self, heard: Callable[[], None]) -> None:
        """Calls ``heard`` from now on whenever the service says something, if only that it is there."""
        self._wire.heard = heard

    def go_another_way(self) -> None:
        """Connects anew where it stays connected; to be called when another proxy was chosen."""
        self._wire.go_another_way()

    async def list_posts(self, query: PostListQuery | None = None) -> Page[Post]:
        return await self._get("/posts", Page[Post], query or PostListQuery())

    def posts(self, query: PostListQuery | None = None) -> AsyncIterator[Page[Post]]:
        """Every page of posts, newest first."""
        return pages(self.list_posts, query or PostListQuery(limit=100))

    async def get_post(self, post_id: UUID) -> Post:
        return await self._get(f"/posts/{post_id}", Post)

    async def create_post(self, new: CreatePost, *, once: bool = False) -> Post:
        """Tried again only with an idempotency key: without one, a repeat might make a second post.

        ``once`` as in ``reschedule_post``.
        """
        body = new.model_dump_json(exclude_unset=True)

        async def call() -> Post:
            return await read(await self._wire.call("POST", f"{API_PREFIX}/posts", body=body), Post)

        return await (self._retries.run(call) if new.idempotency_key and not once else call())

    async def create_posts(self, new: Sequence[CreatePost]) -> BulkCreateResult:
        """Creates up to 30 posts, each of which stands or falls alone.

        Tried again only if all have an idempotency key, as with ``create_post``.
        """
        items = [one.model_dump(mode="json", exclude_unset=True) for one in new]
        body = BulkCreatePosts(posts=items).model_dump_json()

        async def call() -> BulkCreateResult:
            return await read(
                await self._wire.call("POST", f"{API_PREFIX}/posts/bulk", body=body), BulkCreateResult
            )

        return await (self._retries.run(call) if all(one.idempotency_key for one in new) else call())

    async def reschedule_post(self, post_id: UUID, at: datetime, *, once: bool = False) -> Post:
        """Moves a post; a cancelled one is resumed. ``at`` is aware, else ValueError.

        ``once``: it is not tried again, for callers that have to know of every call without an answer.
        """
        body = ReschedulePost(scheduled_at=at).model_dump_json()

        async def call() -> Post:
            return await read(
                await self._wire.call("PATCH", f"{API_PREFIX}/posts/{post_id}", body=body), Post
            )

        return await (call() if once else self._retries.run(call))

    async def delete_post(self, post_id: UUID, *, hard: bool = False, once: bool = False) -> PostDeleteResult:
        """Cancels a post; ``hard`` removes it and its media for good. ``once`` as in ``reschedule_post``."""
        query, path = _as_query(DeletePostQuery(hard=hard)), f"{API_PREFIX}/posts/{post_id}"
        action = DeleteAction.DELETED if hard else DeleteAction.CANCELLED
        done = PostDeleteResult(id=post_id, action=action, details=None)

        async def call() -> PostDeleteResult:
            return await read(
                await self._wire.call("DELETE", path, query=query), PostDeleteResult, unsaid=done
            )

        return await (call() if once else self._retries.run(call))

    async def list_connections(self, query: ConnectionListQuery | None = None) -> Page[Connection]:
        return await self._get("/connections", Page[Connection], query or ConnectionListQuery())

    def connections(self, query: ConnectionListQuery | None = None) -> AsyncIterator[Page[Connection]]:
        """Every page of connections, newest first, those that need reauthorization included."""
        query = query or ConnectionListQuery(limit=100, include_unavailable=True)
        return pages(self.list_connections, query, ACCOUNTS_MAX)

    async def get_connection(self, connection_id: UUID) -> Connection:
        return await self._get(f"/connections/{connection_id}", Connection)

    async def list_boards(self, connection_id: UUID, query: BoardListQuery) -> PinterestBoardPage:
        """A page of the boards of a Pinterest account; its ``bookmark`` leads to the next."""
        return await self._get(f"/connections/{connection_id}/boards", PinterestBoardPage, query)

    async def initiate_connection(self, request: InitiateConnection) -> ConnectionInitiation:
        """Begins a browser flow. Never tried again by itself: each call makes another pending connection."""
        body = request.model_dump_json(exclude_unset=True)
        return await read(
            await self._wire.call("POST", f"{API_PREFIX}/connections/initiate", body=body),
            ConnectionInitiation,
        )

    async def reauthorize(self, connection_id: UUID) -> Reauthorization:
        """Begins a browser flow for an account whose access has ended. Never tried again by itself."""
        path = f"{API_PREFIX}/connections/{connection_id}/reauth"
        return await read(await self._wire.call("POST", path), Reauthorization)

    def content_history(self, cursor: str | None = None) -> AsyncIterator[Page[ContentRecord]]:
        """Every page of what was published, newest first; with a cursor those that follow it."""

        async def fetch(query: ContentHistoryQuery) -> Page[ContentRecord]:
            return await self._get("/content-history", Page[ContentRecord], query)

        query = ContentHistoryQuery(limit=PAGE_LIMIT_MAX)
        return pages(fetch, query.model_copy(update={"cursor": cursor}) if cursor else query)

    def metrics(self, days: int, cursor: str | None = None) -> AsyncIterator[Page[Metric]]:
        """Every page of the samples of the last days (1 to 90), newest first; or what follows a cursor."""

        async def fetch(query: AnalyticsQuery) -> Page[Metric]:
            return await self._get("/analytics", Page[Metric], query)

        query = AnalyticsQuery(limit=PAGE_LIMIT_MAX, days=days)
        return pages(fetch, query.model_copy(update={"cursor": cursor}) if cursor else query)

    async def usage(self) -> Usage:
        return await self._get("/usage", Usage)

    async def companion(self) -> CompanionRoot | None:
        """What the service offers beyond the contract; None where it knows nothing of the kind."""
        try:
            return await self._safely(lambda: self._wire.call("GET", COMPANION_PREFIX), CompanionRoot)
        except (NotFound, Forbidden, ValidationRefused, AnswerNotUnderstood):
            return None

    async def attempts(self, post_id: UUID) -> AttemptList:
        """Every attempt to publish a post; only where the companion offers ``attempts``."""
        path = f"{COMPANION_PREFIX}/posts/{post_id}/attempts"
        return await self._safely(lambda: self._wire.call("GET", path), AttemptList)

    def events(
        self, after: str = "", on_listening: Callable[[bool], None] | None = None
    ) -> AsyncGenerator[ServiceEvent, None]:
        """What changes, for as long as it is read; only where the companion offers ``events``.

        Reconnects by itself and goes on where it was. ``reset`` says that everything is to be read anew, and
        comes first unless ``after``, the id of an event, can be resumed from. ``on_listening`` hears whether
        the stream is open. Raises ClientError for what waiting does not mend.
        """
        return self._events.follow(after, on_listening)

    async def list_posts_between(self, query: PostRangeQuery) -> Page[Post]:
        """Only where the companion offers ``posts``."""
        params, path = _as_query(query), f"{COMPANION_PREFIX}/posts"
        return await self._safely(lambda: self._wire.call("GET", path, query=params), Page[Post])

    def posts_between(self, start: datetime, end: datetime) -> AsyncIterator[Page[Post]]:
        """Every page of the posts from ``start`` on, before ``end``, by their time of publication."""
        query = PostRangeQuery(start=start, end=end, limit=POST_RANGE_LIMIT_MAX)
        return pages(self.list_posts_between, query)

    async def delivery(self, delivery_id: UUID) -> DeliveryDetails:
        """What a webhook delivery carried; only where the companion offers ``deliveries``."""
        path = f"{COMPANION_PREFIX}/deliveries/{delivery_id}"
        return await self._safely(lambda: self._wire.call("GET", path), DeliveryDetails)

    async def quotas(self) -> QuotaList:
        """Limits and what is left of them; only where the companion offers ``quotas``."""
        return await self._safely(lambda: self._wire.call("GET", f"{COMPANION_PREFIX}/quotas"), QuotaList)

    async def list_keys(self, query: PageQuery | None = None) -> Page[ApiKey]:
        """Only where the companion offers ``keys``, like the three that follow."""
        params = _as_query(query or PageQuery())
        path = f"{COMPANION_PREFIX}/keys"
        return await self._safely(lambda: self._wire.call("GET", path, query=params), Page[ApiKey])

    async def create_key(self, new: CreateApiKey) -> CreatedApiKey:
        """Never tried again by itself: each call makes another key, which no other answer holds."""
        body = new.model_dump_json(exclude_unset=True)
        return await read(await self._wire.call("POST", f"{COMPANION_PREFIX}/keys", body=body), CreatedApiKey)

    async def revoke_key(self, key_id: UUID) -> ApiKey:
        path = f"{COMPANION_PREFIX}/keys/{key_id}"
        return await self._safely(lambda: self._wire.call("DELETE", path), ApiKey)

    async def sign_in_link(self) -> SignInLink:
        """An address for the browser that opens the integrations page, once."""
        return await read(await self._wire.call("POST", f"{COMPANION_PREFIX}/sign-in-link"), SignInLink)

    async def complete_connection(self, address: str) -> ConnectionOutcome:
        """Ends a browser flow by hand; only where the companion offers ``complete``. Never tried again."""
        body = CompleteConnection(address=address).model_dump_json()
        path = f"{COMPANION_PREFIX}/connections/complete"
        return await read(await self._wire.call("POST", path, body=body), ConnectionOutcome)

    async def reconnect(self, connection_id: UUID, redirect_url: str) -> ConnectionInitiation:
        """Begins a browser flow for a known account; only where the companion offers ``reconnect``.

        Never tried again by itself.
        """
        body = ReconnectAccount(redirect_url=redirect_url).model_dump_json()
        path = f"{COMPANION_PREFIX}/connections/{connection_id}/reconnect"
        return await read(await self._wire.call("POST", path, body=body), ConnectionInitiation)

    async def connection_attempt(self, attempt_id: UUID) -> ConnectionOutcome:
        """How a browser flow stands; only where the companion offers ``reconnect``."""
        path = f"{COMPANION_PREFIX}/connections/attempts/{attempt_id}"
        return await self._safely(lambda: self._wire.call("GET", path), ConnectionOutcome)

    async def cancel_connection_attempt(self, attempt_id: UUID) -> ConnectionOutcome:
        """Cancels a browser flow that has not ended; like ``connection_attempt``."""
        path = f"{COMPANION_PREFIX}/connections/attempts/{attempt_id}"
        return await self._safely(lambda: self._wire.call("DELETE", path), ConnectionOutcome)

    async def platforms(self) -> list[PlatformSetup]:
        """How the platforms are set up; for the owner, where the companion offers ``platforms``."""
        path = f"{COMPANION_PREFIX}/platforms"
        return (await self._safely(lambda: self._wire.call("GET", path), PlatformSetupList)).data

    async def test_platform(self, platform: ConnectionPlatform) -> PlatformSelfTest:
        """Looks at one platform's set-up, which takes some seconds; like ``platforms``."""
        path = f"{COMPANION_PREFIX}/platforms/{platform.value}/self-test"
        return await self._safely(lambda: self._wire.call("POST", path), PlatformSelfTest)

    async def set_platform_app(self, platform: ConnectionPlatform, app: SetPlatformApp) -> PlatformSetup:
        """Sets the app that was registered with a platform; like ``platforms``."""
        path = f"{COMPANION_PREFIX}/platforms/{platform.value}/app"
        body = app.model_dump_json(exclude_unset=True)
        return await self._safely(lambda: self._wire.call("PUT", path, body=body), PlatformSetup)

    async def remove_platform_app(self, platform: ConnectionPlatform) -> PlatformSetup:
        """Forgets the app that was set for a platform; like ``platforms``."""
        path = f"{COMPANION_PREFIX}/platforms/{platform.value}/app"
        return await self._safely(lambda: self._wire.call("DELETE", path), PlatformSetup)

    async def picture(self, url: str, into: BinaryIO, most: int) -> None:
        """Writes what is at an https address that the service named; without the key, and no redirect.

        Raises AnswerNotUnderstood for more than ``most`` bytes or another address. Never tried again.
        """
        require_success(await self._wire.fetch(url, into, most))

    async def visit(self, url: str) -> int:
        """Gets a page as a browser would, without the key; follows no redirect. Gives the status."""
        return await self._wire.visit(url)

    async def close(self) -> None:
        await self._wire.close()

    async def _get(self, path: str, model: type[Model], query: BaseModel | None = None) -> Model:
        params = _as_query(query) if query else None
        return await self._safely(lambda: self._wire.call("GET", API_PREFIX + path, query=params), model)

    async def _safely(
        self, call: Callable[[], Awaitable[Answer]], model: type[Model], *, unsaid: Model | None = None
    ) -> Model:
        async def call_and_read() -> Model:
            return await read(await call(), model, unsaid=unsaid)

        return await self._retries.run(call_and_read)


def _as_query(query: BaseModel) -> dict[str, Any]:
    values = query.model_dump(mode="json", exclude_none=True)
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}
