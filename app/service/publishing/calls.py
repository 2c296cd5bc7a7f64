"""Time-limited calls to the platforms. Every failure becomes a PlatformError."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID

import structlog
from sqlalchemy import Connection

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import Adapter, InboxAdapter, ServerAdapter
from app.platforms.base import (
    ANY_TIME,
    Delivered,
    Departure,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Publication,
    Published,
)
from app.service.connections.platforms import Tokens, authorized
from app.service.publishing.attachments import Attachments, NotClaimedError
from app.service.publishing.history import Attempt, ClaimedPost
from app.service.publishing.outcome import Found, Sight
from app.service.publishing.settings import PublishingSettings

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class _PatientTokens:
    """Access tokens with a time limit on each request."""

    def __init__(self, tokens: Tokens, longest: timedelta) -> None:
        self._tokens = tokens
        self._longest = longest

    async def access_token(self, connection_id: UUID) -> str:
        return await self._guarded(self._tokens.access_token(connection_id))

    async def refused(self, connection_id: UUID, token: str) -> str:
        return await self._guarded(self._tokens.refused(connection_id, token))

    async def ended(self, connection_id: UUID, token: str) -> None:
        await self._guarded(self._tokens.ended(connection_id, token))

    def forget(self, *connection_ids: UUID) -> None:
        self._tokens.forget(*connection_ids)

    async def _guarded(self, asking: Awaitable[T]) -> T:
        return await _guarded(asking, self._longest, FailureKind.TRANSIENT)


class Calls:
    """Combines tokens, adapters and attachments. Methods raise nothing but PlatformError."""

    def __init__(
        self,
        tokens: Tokens,
        adapters: Mapping[ConnectionPlatform, Adapter],
        attachments: Attachments,
        settings: PublishingSettings,
        holder: UUID | None = None,
        before_step: Callable[[Connection, UUID], None] | None = None,
    ) -> None:
        """Create the calls; with a ``holder``, steps are only stored while it holds the preparation.

        ``before_step`` is called in the transaction that stores a step of a call, with the post's ID.
        """
        self._attachments = attachments
        self._holder = holder
        self._before_step = before_step
        self._ahead = attachments if holder is None else attachments.held_by(holder)
        self._tokens = _PatientTokens(tokens, settings.look_limit)
        self._adapters = adapters
        self._settings = settings

    async def token(self, post: ClaimedPost) -> str:
        """Return an access token for the post's account."""
        return await self._tokens.access_token(post.connection_id)

    def forget_token(self, post: ClaimedPost) -> None:
        """Read the account again for the next token: it may have been disconnected by another process."""
        self._tokens.forget(post.connection_id)

    async def prepare(self, post: ClaimedPost, token: str) -> None:
        """Upload the post's file, continuing an interrupted upload. Publishes nothing."""
        adapter = self._adapter(post)

        async def call(token: str) -> None:
            publication = await self._publication(post, token)
            preparing = adapter.prepare(replace(publication, steps=self._ahead.steps_of(post)))
            await _guarded(preparing, self._settings.upload_limit, FailureKind.TRANSIENT)

        await authorized(self._tokens, post.connection_id, token, call)

    async def publish(self, post: ClaimedPost, token: str, departure: Departure) -> Published | Delivered:
        """Get ready now, make the irreversible call at the post's departure, and return the published item.

        Returns Delivered if it's in the user's inbox, which ``follow`` asks about. An unexpected error after
        the departure becomes AMBIGUOUS, because the call may have published.
        """
        adapter = self._adapter(post)
        limited = _Limited(departure, self._settings.call_limit)

        async def call(token: str) -> Published | Delivered:
            publication = await self._publication(post, token, limited)
            steps = self._attachments.steps_of(post, self._holder, self._before_step)
            return await limited.run(adapter.publish(replace(publication, steps=steps)))

        return await authorized(self._tokens, post.connection_id, token, call)

    def mark_of(self, post: ClaimedPost, attempt: Attempt) -> dict[str, object] | None:
        """Return the step to write with an attempt, if any, which later shows that no step was lost."""
        return self._attachments.mark_of(post, attempt)

    async def look(self, post: ClaimedPost, since: datetime, known: Collection[str]) -> Found | Sight:
        """Ask the platform whether it has a post whose response was lost, since ``since``.

        ``known`` are the account's items that belong to other posts.
        """
        adapter = self._adapter(post)

        async def call(token: str) -> LookBack:
            publication = await self._publication(post, token)
            looking = adapter.look_back(publication, since=since, known=known)
            return await _guarded(looking, self._settings.look_limit, FailureKind.TRANSIENT)

        token = await self.token(post)
        seen = _look_result(await authorized(self._tokens, post.connection_id, token, call))
        if seen is Sight.UNSENT and not await self._attachments.has_all_steps(post):
            return Sight.UNKNOWABLE
        return seen

    async def follow(self, post: ClaimedPost) -> Published | None:
        """Return the item if the user has published it from their inbox; None while it's still there."""
        adapter = self._adapter(post)
        if not isinstance(adapter, InboxAdapter):
            raise PlatformError(FailureKind.TRANSIENT, "not_supported", f"{post.platform} has no inbox")

        async def call(token: str) -> Published | None:
            following = adapter.follow(await self._publication(post, token))
            return await _guarded(following, self._settings.look_limit, FailureKind.TRANSIENT)

        return await authorized(self._tokens, post.connection_id, await self.token(post), call)

    async def repeat_window(self, post: ClaimedPost) -> timedelta | None:
        """Return how long the platform refuses an identical copy and names the first; None if unreliable."""
        adapter = self._adapters.get(ConnectionPlatform(post.platform))
        if not isinstance(adapter, ServerAdapter):
            return adapter.repeat_window if adapter else None
        try:
            return adapter.repeat_window_at(await self.token(post))
        except PlatformError:  # without access, nothing can be repeated either
            return None

    def _adapter(self, post: ClaimedPost) -> Adapter:
        adapter = self._adapters.get(ConnectionPlatform(post.platform))
        if adapter is None:
            raise PlatformError(
                FailureKind.INVALID, "not_supported", f"{post.platform} can't be published to yet"
            )
        return adapter

    async def _publication(
        self, post: ClaimedPost, token: str, departure: Departure = ANY_TIME
    ) -> Publication:
        options, limits = await self._attachments.options_of(post)
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
            to_inbox=await self._attachments.is_to_inbox(post),
            options=options,
            alt_text_max=limits.alt_text_max if limits else None,
            post_id=post.id,
            steps=self._attachments.steps_of(post),
            departure=departure,
            fetch=self._attachments.page,
        )


class _Limited:
    """A departure with a time limit on the work around it, not counting the wait for departing."""

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
        """Run the work and return its result; raises nothing but PlatformError."""
        try:
            async with asyncio.timeout(self._longest) as self._limit:
                return await work
        except PlatformError:
            raise
        except NotClaimedError:
            message = "Another process has taken over the post."
            raise PlatformError(self._unforeseen_kind, "taken_over", message) from None
        except Exception as error:
            raise _unforeseen(error, self._unforeseen_kind) from error

    @property
    def _unforeseen_kind(self) -> FailureKind:
        return FailureKind.AMBIGUOUS if self.has_departed else FailureKind.TRANSIENT


async def _guarded(call: Awaitable[T], longest: timedelta, kind: FailureKind) -> T:
    """Wait at most ``longest``; errors other than PlatformError become one of ``kind``."""
    try:
        async with asyncio.timeout(longest.total_seconds()):
            return await call
    except PlatformError:
        raise
    except Exception as error:
        raise _unforeseen(error, kind) from error


def _unforeseen(error: Exception, kind: FailureKind) -> PlatformError:
    _log.exception("a call failed unexpectedly")
    return PlatformError(kind, type(error).__name__, "unreadable response")


_SIGHTS: Final = {
    LookBackOutcome.ABSENT: Sight.ABSENT,
    LookBackOutcome.UNSENT: Sight.UNSENT,
    LookBackOutcome.DELIVERED: Sight.DELIVERED,
}


def _look_result(answer: LookBack) -> Found | Sight:
    if answer.outcome is LookBackOutcome.FOUND and answer.item:
        return Found(answer.item)
    return _SIGHTS.get(answer.outcome, Sight.UNKNOWABLE)
