"""Calls to the platforms, guarded: whatever goes wrong is a PlatformError that says what it means."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

import structlog

from app.contract.enums import ConnectionPlatform
from app.platforms.base import (
    Adapter,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Publication,
    Published,
)
from app.platforms.permit import Permit, permitted
from app.service.connections.tokens import Tokens, authorized
from app.service.publishing.attachments import Attachments
from app.service.publishing.history import ClaimedPost
from app.service.publishing.outcome import Found, Sight
from app.service.publishing.settings import PublishingSettings

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class _PatientTokens:
    """Tokens that are not waited for longer than a moment."""

    def __init__(self, tokens: Tokens, longest: timedelta) -> None:
        self._tokens = tokens
        self._longest = longest

    async def access_token(self, connection_id: UUID) -> str:
        return await self._guarded(self._tokens.access_token(connection_id))

    async def refused(self, connection_id: UUID, token: str) -> str:
        return await self._guarded(self._tokens.refused(connection_id, token))

    async def ended(self, connection_id: UUID, token: str) -> None:
        await self._guarded(self._tokens.ended(connection_id, token))

    async def _guarded(self, asking: Awaitable[T]) -> T:
        return await _guarded(asking, self._longest, FailureKind.TRANSIENT)


class Slots:
    """How many calls run at once, in all and for one connected account."""

    def __init__(self, settings: PublishingSettings) -> None:
        self._all = asyncio.Semaphore(settings.calls)
        self._punctual, self._many = 0, settings.calls // 4
        self._late = asyncio.Semaphore(max(1, settings.calls // 2))
        self._per_connection = settings.calls_per_connection
        self._connections: WeakValueDictionary[UUID, asyncio.Semaphore] = WeakValueDictionary()
        self._late_of: WeakValueDictionary[UUID, asyncio.Semaphore] = WeakValueDictionary()

    @property
    def busy(self) -> bool:
        """Many calls that are not late wait or run."""
        return self._punctual > self._many

    @asynccontextmanager
    async def of(self, connection_id: UUID, *, late: bool = False) -> AsyncIterator[None]:
        """Waits for room to call for this account, first come first served; late posts leave some of it."""
        if late:
            async with self._room_for_late(connection_id), self._late, self._room(connection_id), self._all:
                yield
            return
        self._punctual += 1
        try:
            async with self._room(connection_id), self._all:
                yield
        finally:
            self._punctual -= 1

    def _room(self, connection_id: UUID) -> asyncio.Semaphore:
        return self._connections.setdefault(connection_id, asyncio.Semaphore(self._per_connection))

    def _room_for_late(self, connection_id: UUID) -> asyncio.Semaphore:
        few = max(1, self._per_connection - 1)
        return self._late_of.setdefault(connection_id, asyncio.Semaphore(few))


class Calls:
    """Tokens and adapters behind one door. Every method raises PlatformError and nothing else."""

    def __init__(
        self,
        tokens: Tokens,
        adapters: Mapping[ConnectionPlatform, Adapter],
        attachments: Attachments,
        settings: PublishingSettings,
        holder: UUID | None = None,
    ) -> None:
        """With a ``holder``, what is prepared is only remembered while that one holds the preparation."""
        self._attachments = attachments
        self._ahead = attachments if holder is None else attachments.held_by(holder)
        self._tokens = _PatientTokens(tokens, settings.look_limit)
        self._adapters = adapters
        self._settings = settings

    async def token(self, post: ClaimedPost) -> str:
        """An access token of the post's account."""
        return await self._tokens.access_token(post.connection_id)

    async def prepare(self, post: ClaimedPost, token: str) -> None:
        """Brings everything there that nobody sees yet; it goes on where it was."""
        adapter = self._adapter(post)

        async def call(token: str) -> None:
            publication = await self._publication(post, token)
            preparing = adapter.prepare(replace(publication, steps=self._ahead.steps_of(post)))
            await _guarded(preparing, self._settings.upload_limit, FailureKind.TRANSIENT)

        await authorized(self._tokens, post.connection_id, token, call)

    async def publish(self, post: ClaimedPost, token: str, permit: Permit) -> Published:
        """The irreversible call; gives what became of the post. It begins only while ``permit`` holds.

        What goes wrong in an unforeseen way is AMBIGUOUS: it may have published all the same.
        """
        adapter = self._adapter(post)

        async def call(token: str) -> Published:
            sending = adapter.publish(await self._publication(post, token))
            return await _guarded(sending, self._settings.call_limit, FailureKind.AMBIGUOUS)

        with permitted(permit):
            return await authorized(self._tokens, post.connection_id, token, call)

    async def look(self, post: ClaimedPost, since: datetime, known: Collection[str]) -> Found | Sight:
        """What the platform has of a post whose answer was lost, begun after ``since``.

        ``known`` are the items of the account that belong to other posts.
        """
        adapter = self._adapter(post)

        async def call(token: str) -> LookBack:
            publication = await self._publication(post, token)
            looking = adapter.look_back(publication, since=since, known=known)
            return await _guarded(looking, self._settings.look_limit, FailureKind.TRANSIENT)

        token = await self.token(post)
        return _seen(await authorized(self._tokens, post.connection_id, token, call))

    def repeat_window(self, post: ClaimedPost) -> timedelta | None:
        """How long the platform refuses an identical copy and names the first; None: not to be relied on."""
        adapter = self._adapters.get(ConnectionPlatform(post.platform))
        return adapter.repeat_window if adapter else None

    def _adapter(self, post: ClaimedPost) -> Adapter:
        adapter = self._adapters.get(ConnectionPlatform(post.platform))
        if adapter is None:
            raise PlatformError(
                FailureKind.INVALID, "not_supported", f"{post.platform} cannot be published to yet"
            )
        return adapter

    async def _publication(self, post: ClaimedPost, token: str) -> Publication:
        return Publication(
            account_identifier=post.account_identifier,
            username=post.username,
            access_token=token,
            post_type=post.post_type,
            title=post.title,
            text=post.description or "",
            media=await self._attachments.media_of(post),
            board_id=post.board_id,
            board_name=post.board_name,
            link=post.link,
            steps=self._attachments.steps_of(post),
        )


async def _guarded(call: Awaitable[T], longest: timedelta, kind: FailureKind) -> T:
    """Waits at most ``longest``; an error that is not the platform's becomes one of ``kind``."""
    try:
        async with asyncio.timeout(longest.total_seconds()):
            return await call
    except PlatformError:
        raise
    except Exception as error:
        _log.exception("a call went wrong in an unforeseen way")
        raise PlatformError(kind, type(error).__name__, "no answer that could be read") from error


def _seen(answer: LookBack) -> Found | Sight:
    if answer.outcome is LookBackOutcome.FOUND and answer.item:
        return Found(answer.item)
    return Sight.ABSENT if answer.outcome is LookBackOutcome.ABSENT else Sight.UNKNOWABLE
