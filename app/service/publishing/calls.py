"""Calls to the platforms, guarded: whatever goes wrong is a PlatformError that says what it means."""

import asyncio
from collections.abc import Awaitable, Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID

import structlog

from app.contract.enums import ConnectionPlatform
from app.platforms.base import (
    ANY_TIME,
    Adapter,
    Departure,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Publication,
    Published,
)
from app.service.connections.platforms import Tokens, authorized
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

    async def publish(self, post: ClaimedPost, token: str, departure: Departure) -> Published:
        """The irreversible call, made ready now and begun at its departure; gives what became of the post.

        What goes wrong in an unforeseen way once it has departed is AMBIGUOUS: it may have published.
        """
        adapter = self._adapter(post)
        limited = _Limited(departure, self._settings.call_limit)

        async def call(token: str) -> Published:
            return await limited.run(adapter.publish(await self._publication(post, token, limited)))

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

    async def _publication(
        self, post: ClaimedPost, token: str, departure: Departure = ANY_TIME
    ) -> Publication:
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
            tiktok=await self._attachments.choice_of(post),
            steps=self._attachments.steps_of(post),
            departure=departure,
        )


class _Limited:
    """A departure that lets work take so long, not counting the time that it waits for it."""

    def __init__(self, departure: Departure, longest: timedelta) -> None:
        self._departure = departure
        self._longest = longest.total_seconds()
        self._limit: asyncio.Timeout | None = None

    @property
    def has_departed(self) -> bool:
        return self._departure.has_departed

    async def depart(self) -> None:
        if self.has_departed:
            return
        if self._limit is not None:
            self._limit.reschedule(None)
        await self._departure.depart()
        if self._limit is not None:
            self._limit.reschedule(asyncio.get_running_loop().time() + self._longest)

    def holds(self) -> bool:
        return self._departure.holds()

    async def run(self, work: Awaitable[T]) -> T:
        """What the work gives; raises PlatformError and nothing else."""
        try:
            async with asyncio.timeout(self._longest) as self._limit:
                return await work
        except PlatformError:
            raise
        except Exception as error:
            kind = FailureKind.AMBIGUOUS if self.has_departed else FailureKind.TRANSIENT
            raise _unforeseen(error, kind) from error


async def _guarded(call: Awaitable[T], longest: timedelta, kind: FailureKind) -> T:
    """Waits at most ``longest``; an error that is not the platform's becomes one of ``kind``."""
    try:
        async with asyncio.timeout(longest.total_seconds()):
            return await call
    except PlatformError:
        raise
    except Exception as error:
        raise _unforeseen(error, kind) from error


def _unforeseen(error: Exception, kind: FailureKind) -> PlatformError:
    _log.exception("a call went wrong in an unforeseen way")
    return PlatformError(kind, type(error).__name__, "no answer that could be read")


_SIGHTS: Final = {LookBackOutcome.ABSENT: Sight.ABSENT, LookBackOutcome.UNSENT: Sight.UNSENT}


def _seen(answer: LookBack) -> Found | Sight:
    if answer.outcome is LookBackOutcome.FOUND and answer.item:
        return Found(answer.item)
    return _SIGHTS.get(answer.outcome, Sight.UNKNOWABLE)
