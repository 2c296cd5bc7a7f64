"""Collecting metrics from the platforms, in the background and on demand."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Final, Protocol, TypeVar
from uuid import UUID

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.contract.enums import ConnectionPlatform
from app.database import Database, DatabaseError
from app.platforms.base import Adapter, ContentMetrics, FailureKind, PlatformError, Profile
from app.service.analytics import samples
from app.service.analytics.samples import Feed
from app.service.clock import Clock

T = TypeVar("T")
_log = structlog.get_logger(__name__)

_LOOK_EVERY: Final = timedelta(minutes=1)
_AT_ONCE: Final = 4
_MOST: Final = 1_000
_LONGEST_CALL: Final = timedelta(minutes=2)
_TAKEN_FOR: Final = timedelta(minutes=30)
"""How long other processes leave alone what this one asks for."""
_AGAIN_AFTER: Final = timedelta(hours=1)


class Tokens(Protocol):
    """Where access tokens come from: the token keeper of the connections."""

    async def access_token(self, connection_id: UUID) -> str:
        """A token that should work; raises PlatformError."""

    async def refused(self, connection_id: UUID, token: str) -> str:
        """A new token, since the platform refused this one; raises PlatformError."""


class Collector:
    """Asks the platforms how published content does. One account's trouble is not the others'.

    Several processes may do so at once: an item is asked for by one of them.
    """

    def __init__(
        self, database: Database, tokens: Tokens, adapters: Mapping[ConnectionPlatform, Adapter], clock: Clock
    ) -> None:
        self._database = database
        self._tokens = tokens
        self._adapters = adapters
        self._clock = clock
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Samples what is due, every minute, until ``stop``."""
        while not self._stopping.is_set():
            await self._unless_stopped(self._collect_or_tell())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY.total_seconds()):
                    await self._stopping.wait()

    async def stop(self) -> None:
        """Ends ``run``; calls under way are given up, which harms nothing."""
        self._stopping.set()

    async def collect_due(self) -> int:
        """Samples the items whose time has come; gives the number of rows. Raises DatabaseError."""
        now = self._clock()
        due = await self._database.write(lambda rows: samples.take_due(rows, now, now + _TAKEN_FOR, _MOST))
        return await self._collect(due)

    async def collect_now(self) -> int:
        """Samples every item of the last 90 days; gives the number of rows. Raises DatabaseError."""
        now = self._clock()
        return await self._collect(await self._database.read(lambda rows: samples.everything(rows, now)))

    async def _collect(self, feeds: Sequence[Feed]) -> int:
        return sum(await asyncio.gather(*(self._sample(feed) for feed in feeds)))

    async def _sample(self, feed: Feed) -> int:
        async with self._slots:
            try:
                found, followers = await self._ask(feed)
            except PlatformError as error:
                _log.info("no metrics", connection_id=str(feed.connection_id), reason=str(error))
                wait = max(_AGAIN_AFTER, timedelta(seconds=error.retry_after or 0))
                until = self._clock() + wait
                await self._database.write(lambda rows: samples.postpone(rows, feed, until))
                return 0
        now = self._clock()
        return await self._database.write(lambda rows: samples.store(rows, feed, found, followers, now))

    async def _ask(self, feed: Feed) -> tuple[Sequence[ContentMetrics], int | None]:
        """The numbers of the items, and the followers where the platform tells. Raises PlatformError."""
        adapter = self._adapters.get(feed.platform)
        if adapter is None:
            raise PlatformError(FailureKind.INVALID, "not_set_up", "The platform is not set up here.")
        ids = [item.content_id for item in feed.items]
        token = await self._tokens.access_token(feed.connection_id)
        try:
            found = await _guarded(adapter.metrics(token, feed.account_identifier, ids))
        except PlatformError as error:
            if error.kind is not FailureKind.AUTH_EXPIRED:
                raise
            token = await self._tokens.refused(feed.connection_id, token)
            found = await _guarded(adapter.metrics(token, feed.account_identifier, ids))
        return found, await _followers(feed, lambda: adapter.profiles(token))

    async def _collect_or_tell(self) -> None:
        try:
            await self.collect_due()
        except (DatabaseError, SQLAlchemyError):
            _log.exception("metrics could not be stored; trying again")

    async def _unless_stopped(self, work: Awaitable[None]) -> None:
        working = asyncio.ensure_future(work)
        stopped = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)


async def _followers(feed: Feed, ask: Callable[[], Awaitable[list[Profile]]]) -> int | None:
    """Who follows the account now; None where the platform does not tell, for that costs no sample."""
    try:
        profiles = await _guarded(ask())
    except PlatformError:
        return None
    counts = [one.follower_count for one in profiles if one.account_identifier == feed.account_identifier]
    return counts[0] if counts else None


async def _guarded(call: Awaitable[T]) -> T:
    """Waits for a while; an error that is not the platform's becomes a transient one."""
    try:
        async with asyncio.timeout(_LONGEST_CALL.total_seconds()):
            return await call
    except PlatformError:
        raise
    except Exception as error:
        _log.exception("a call for metrics went wrong in an unforeseen way")
        raise PlatformError(
            FailureKind.TRANSIENT, type(error).__name__, "no answer that could be read"
        ) from error
