"""Calls for posts and what was published: the specified API, companion networks, and TikTok's choices."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

from pydantic import BaseModel

from app.client.answers import ACCOUNTS_MAX, pages, read
from app.client.bodies import Answer
from app.client.errors import AnswerNotUnderstood, RetryPolicy
from app.client.wire import Wire
from app.contract.analytics import AnalyticsQuery, Metric
from app.contract.companion import AnyPost, ConnectPlace, FinishPost, Place, PlaceListQuery, PublishByHand
from app.contract.connections import ConnectionInitiation
from app.contract.enums import DeleteAction
from app.contract.history import ContentHistoryQuery, ContentRecord
from app.contract.limits import COMPANION_PREFIX, PAGE_LIMIT_MAX
from app.contract.pagination import Page
from app.contract.places import ConnectServer, PlaceLimits
from app.contract.posts import (
    CreatePost,
    DeletePostQuery,
    Post,
    PostDeleteResult,
    PostListQuery,
    ReschedulePost,
)
from app.contract.tiktok import (
    InboxPosts,
    NewTikTokChoice,
    SetTikTokAccount,
    TikTokAccount,
    TikTokChoice,
    TikTokCreator,
    TikTokPost,
    UndecidedPosts,
)

Model = TypeVar("Model", bound=BaseModel)
P = TypeVar("P", bound=Post)


class PublishingCalls:
    """The calls below one prefix. A failed call always raises ClientError."""

    def __init__(self, wire: Wire, retries: RetryPolicy, prefix: str) -> None:
        self._wire = wire
        self._retries = retries
        self._prefix: Final = prefix

    async def list_posts(self, query: PostListQuery | None = None) -> Page[Post]:
        return await self._get("/posts", Page[Post], query or PostListQuery())

    def posts(self, query: PostListQuery | None = None) -> AsyncIterator[Page[Post]]:
        """Yield every page of posts, newest first."""
        return pages(self.list_posts, query or PostListQuery(limit=100))

    async def get_post(self, post_id: UUID) -> Post:
        return of_id(await self._get(f"/posts/{post_id}", Post), post_id)

    async def create_post(self, new: CreatePost, *, once: bool = False) -> Post:
        """Create a post. Retried only with an idempotency key: otherwise a retry might create a second one.

        ``once``: see ``reschedule_post``.
        """
        body = new.model_dump_json(exclude_unset=True)

        async def call() -> Post:
            return await read(await self._wire.call("POST", f"{self._prefix}/posts", body=body), Post)

        return await (self._retries.run(call) if new.idempotency_key and not once else call())

    async def reschedule_post(self, post_id: UUID, at: datetime, *, once: bool = False) -> Post:
        """Reschedule a post, or resume a cancelled one. Raises ValueError if ``at`` is naive.

        ``once``: don't retry, for callers that have to know about every call without a response.
        """
        body = ReschedulePost(scheduled_at=at).model_dump_json()

        async def call() -> Post:
            answer = await self._wire.call("PATCH", f"{self._prefix}/posts/{post_id}", body=body)
            return of_id(await read(answer, Post), post_id)

        return await (call() if once else self._retries.run(call))

    async def delete_post(self, post_id: UUID, *, hard: bool = False, once: bool = False) -> PostDeleteResult:
        """Cancel a post, or with ``hard`` delete it and its media. ``once``: see ``reschedule_post``."""
        query, path = as_query(DeletePostQuery(hard=hard)), f"{self._prefix}/posts/{post_id}"
        action = DeleteAction.DELETED if hard else DeleteAction.CANCELLED
        done = PostDeleteResult(id=post_id, action=action, details=None)

        async def call() -> PostDeleteResult:
            return await read(
                await self._wire.call("DELETE", path, query=query), PostDeleteResult, unsaid=done
            )

        return await (call() if once else self._retries.run(call))

    def content_history(self, cursor: str | None = None) -> AsyncIterator[Page[ContentRecord]]:
        """Yield every page of published content, newest first, optionally after a cursor."""

        async def fetch(query: ContentHistoryQuery) -> Page[ContentRecord]:
            return await self._get("/content-history", Page[ContentRecord], query)

        query = ContentHistoryQuery(limit=PAGE_LIMIT_MAX)
        return pages(fetch, query.model_copy(update={"cursor": cursor}) if cursor else query)

    def metrics(self, days: int, cursor: str | None = None) -> AsyncIterator[Page[Metric]]:
        """Yield every page of the samples of the last 1 to 90 days, newest first.

        Optionally after a cursor.
        """

        async def fetch(query: AnalyticsQuery) -> Page[Metric]:
            return await self._get("/analytics", Page[Metric], query)

        query = AnalyticsQuery(limit=PAGE_LIMIT_MAX, days=days)
        return pages(fetch, query.model_copy(update={"cursor": cursor}) if cursor else query)

    async def _get(self, path: str, model: type[Model], query: BaseModel | None = None) -> Model:
        params = as_query(query) if query else None
        return await self._safely(lambda: self._wire.call("GET", self._prefix + path, query=params), model)

    async def _safely(
        self, call: Callable[[], Awaitable[Answer]], model: type[Model], *, unsaid: Model | None = None
    ) -> Model:
        async def call_and_read() -> Model:
            return await read(await call(), model, unsaid=unsaid)

        return await self._retries.run(call_and_read)


def of_id(post: P, post_id: UUID) -> P:
    """Return an answer about a post. Raises AnswerNotUnderstood if it's about another one."""
    if post.id != post_id:
        raise AnswerNotUnderstood("the response is another post")
    return post


def as_query(query: BaseModel) -> dict[str, Any]:
    """Return a query as URL parameters."""
    values = query.model_dump(mode="json", exclude_none=True)
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}


class FinishingCalls(PublishingCalls):
    """Calls for posts that the user publishes by hand."""

    async def finish_post(self, post_id: UUID, done: FinishPost) -> Post:
        """Report that the user has published a post by hand. Requires the feature ``finishing``.

        Never retried: the service refuses a second report.
        """
        body = done.model_dump_json(exclude_unset=True)
        answer = await self._wire.call("PUT", self._finished(post_id), body=body)
        return of_id(await read(answer, Post), post_id)

    async def take_back_post(self, post_id: UUID) -> Post:
        """Undo ``finish_post`` within ten minutes; later, ValidationRefused is raised."""
        answer = await self._wire.call("DELETE", self._finished(post_id))
        return of_id(await read(answer, Post), post_id)

    def _finished(self, post_id: UUID) -> str:
        return f"{self._prefix}/posts/{post_id}/finished"


class AnyPostCalls(FinishingCalls):
    """Implementation of ``ServiceClient.any_posts``. Requires the companion feature ``by_hand``."""

    def __init__(self, wire: Wire, retries: RetryPolicy) -> None:
        super().__init__(wire, retries, COMPANION_PREFIX)

    async def get_post(self, post_id: UUID) -> AnyPost:
        return of_id(await self._get(f"/posts/{post_id}", AnyPost), post_id)

    async def set_by_hand(self, post_id: UUID, *, by_hand: bool) -> AnyPost:
        """Let the user publish a scheduled post, or the service again."""
        path, body = f"{self._prefix}/posts/{post_id}/by-hand", PublishByHand(by_hand=by_hand)
        call = partial(self._wire.call, "PUT", path, body=body.model_dump_json())
        return of_id(await self._safely(call, AnyPost), post_id)


class PlaceCalls(FinishingCalls):
    """Implementation of ``ServiceClient.places``."""

    def __init__(self, wire: Wire, retries: RetryPolicy) -> None:
        super().__init__(wire, retries, f"{COMPANION_PREFIX}/places")

    async def list_posts(self, query: PostListQuery | None = None) -> Page[Post]:
        """Return a page of posts; each is an AnyPost, with its options."""
        page = await self._get("/posts", Page[AnyPost], query or PostListQuery())
        return Page[Post](data=[*page.data], next_cursor=page.next_cursor)

    async def get_post(self, post_id: UUID) -> AnyPost:
        return of_id(await self._get(f"/posts/{post_id}", AnyPost), post_id)

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

    async def limits(self, place_id: UUID) -> PlaceLimits:
        """Return the limits of an account's server, which the service may have to ask first."""
        path = f"{self._prefix}/{place_id}/limits"
        return await self._safely(lambda: self._wire.call("GET", path), PlaceLimits)

    async def disconnect(self, place_id: UUID) -> Place:
        """Disconnect an account, and return it as it is then."""
        path = f"{self._prefix}/{place_id}"
        return await self._safely(lambda: self._wire.call("DELETE", path), Place)


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

    async def account(self, connection_id: UUID) -> TikTokAccount:
        """Return the choice for an account's posts that have none of their own, and where posts go."""
        return await self._get(f"/connections/{connection_id}/tiktok", TikTokAccount)

    async def choose_for_account(self, connection_id: UUID, choice: TikTokChoice | None) -> TikTokAccount:
        """Set that choice; None removes it."""
        chosen = None if choice is None else NewTikTokChoice.model_validate(choice.model_dump())
        return await self._put(connection_id, SetTikTokAccount(choice=chosen))

    async def send_to_inbox(self, connection_id: UUID, to_inbox: bool | None) -> TikTokAccount:
        """Set whether an account's posts go to its inbox; None for the default. Requires ``inbox``."""
        return await self._put(connection_id, SetTikTokAccount(inbox=to_inbox))

    async def post_choice(self, post_id: UUID) -> TikTokChoice | None:
        """Return the choice that applies to a post."""
        return (await self._get(f"/posts/{post_id}/tiktok", TikTokPost)).choice

    async def undecided(self) -> list[UUID]:
        """Return posts that will fail because nobody chose who can see them."""
        return (await self._get("/tiktok/undecided", UndecidedPosts)).data

    async def in_inboxes(self) -> list[UUID]:
        """Return posts that wait in inboxes for their user. Requires the companion feature ``inbox``."""
        return (await self._get("/tiktok/inbox", InboxPosts)).data

    async def _put(self, connection_id: UUID, wanted: SetTikTokAccount) -> TikTokAccount:
        path = f"{COMPANION_PREFIX}/connections/{connection_id}/tiktok"
        body = wanted.model_dump_json(exclude_unset=True)
        return await self._safely(lambda: self._wire.call("PUT", path, body=body), TikTokAccount)

    async def _get(self, path: str, model: type[Model]) -> Model:
        return await self._safely(lambda: self._wire.call("GET", COMPANION_PREFIX + path), model)

    async def _safely(self, call: Callable[[], Awaitable[Answer]], model: type[Model]) -> Model:
        async def call_and_read() -> Model:
            return await read(await call(), model)

        return await self._retries.run(call_and_read)
