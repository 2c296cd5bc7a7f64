"""Calls for posts and what was published: the specified API and places have the same ones."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from pydantic import BaseModel

from app.client.answers import pages, read
from app.client.bodies import Answer
from app.client.errors import RetryPolicy
from app.client.wire import Wire
from app.contract.analytics import AnalyticsQuery, Metric
from app.contract.enums import DeleteAction
from app.contract.history import ContentHistoryQuery, ContentRecord
from app.contract.limits import PAGE_LIMIT_MAX
from app.contract.pagination import Page
from app.contract.posts import (
    CreatePost,
    DeletePostQuery,
    Post,
    PostDeleteResult,
    PostListQuery,
    ReschedulePost,
)

Model = TypeVar("Model", bound=BaseModel)


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
        return await self._get(f"/posts/{post_id}", Post)

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
            return await read(
                await self._wire.call("PATCH", f"{self._prefix}/posts/{post_id}", body=body), Post
            )

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


def as_query(query: BaseModel) -> dict[str, Any]:
    """Return a query as URL parameters."""
    values = query.model_dump(mode="json", exclude_none=True)
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}
