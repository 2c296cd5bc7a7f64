"""Collects metrics from the platforms, in the background and on demand."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from math import inf
from typing import Final, Protocol, TypeVar
from uuid import UUID

import structlog
from sqlalchemy import Connection

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.adapters import Adapter, FollowersAdapter
from app.platforms.base import COUNT_MAX, ContentMetrics, FailureKind, PlatformError
from app.service.analytics.samples import Feed, Item, everything, postpone, store, take_due
from app.service.clock import Clock
from app.service.worker import PeriodicWorker, all_done

T = TypeVar("T")
_log = structlog.get_logger(__name__)

_LOOK_EVERY: Final = timedelta(minutes=1)
_AT_ONCE: Final = 4
_MOST: Final = 1_000
_MOST_OF_ACCOUNT: Final = 200
_TAKEN_FOR: Final = timedelta(minutes=30)
"""How long claimed items are left to the process that claimed them."""
_AGAIN_AFTER: Final = timedelta(hours=1)
_REFUSED_AGAIN_AFTER: Final = timedelta(days=1)
_PASSING: Final = frozenset({FailureKind.TRANSIENT, FailureKind.AMBIGUOUS})
"""Failures that may concern only some items. Others concern the account or the app."""
_LIMITED: Final = frozenset({FailureKind.RATE_LIMITED, FailureKind.QUOTA})
_MOST_FAILURES: Final = 2


class Tokens(Protocol):
    """Provides access tokens."""

    async def access_token(self, connection_id: UUID) -> str:
        """Return a token that should work. Raises PlatformError."""

    async def refused(self, connection_id: UUID, token: str) -> str:
        """Return a new token after the platform refused this one. Raises PlatformError."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Timeouts of a call for metrics, and of an account's turn.

    Items left at the end of a turn are requested in the next round, after those of other accounts.
    """

    call: timedelta = timedelta(minutes=2)
    turn: timedelta = timedelta(minutes=2)


class Collector(PeriodicWorker):
    """Samples the metrics of published content. One failing account doesn't affect the others.

    Several processes can run simultaneously: each item is requested by one of them.
    """

    every = _LOOK_EVERY
    trouble = "metrics could not be stored; trying again"

    def __init__(
        self,
        database: Database,
        tokens: Tokens,
        adapters: Mapping[ConnectionPlatform, Adapter],
        clock: Clock,
        patience: Patience | None = None,
    ) -> None:
        super().__init__()
        self._database = database
        self._tokens = tokens
        self._adapters = adapters
        self._clock = clock
        self._patience = patience or Patience()
        self._collecting: asyncio.Task[int] | None = None

    async def stop(self) -> None:
        """Start no more rounds, and cancel the current one. Its items are sampled later."""
        await super().stop()
        if self._collecting is not None:
            self._collecting.cancel()

    async def _round(self) -> None:
        self._collecting = asyncio.create_task(self.collect_due())
        try:
            await self._collecting
        except asyncio.CancelledError:
            if not self._stopping:
                raise

    async def collect_due(self) -> int:
        """Sample due items; return the number of stored rows. Raises DatabaseError."""
        now = self._clock()
        due = await self._database.write(
            lambda rows: take_due(rows, now, now + _TAKEN_FOR, _MOST, _MOST_OF_ACCOUNT)
        )
        return await self._collect(due, self._patience.turn)

    async def collect_now(self) -> int:
        """Sample every item of the last 90 days; return the number of stored rows. Raises DatabaseError."""
        now = self._clock()
        feeds = await self._database.read(lambda rows: everything(rows, now))
        return await self._collect(feeds, None)

    async def _collect(self, feeds: Sequence[Feed], turn: timedelta | None) -> int:
        slots = asyncio.Semaphore(_AT_ONCE)
        return sum(await all_done(self._sample(feed, turn, slots) for feed in feeds))

    async def _sample(self, feed: Feed, turn: timedelta | None, slots: asyncio.Semaphore) -> int:
        """Request the items of a feed in as many calls as needed, and store each response."""
        async with slots:
            now = asyncio.get_running_loop().time
            ends = inf if turn is None else now() + turn.total_seconds()
            visit = _Visit(feed, self._adapters.get(feed.platform), self._tokens, self._patience.call)
            left, failures, stored = list(feed.items), 0, 0
            while left and failures < _MOST_FAILURES:
                piece, left = left[: visit.at_once], left[visit.at_once :]
                try:
                    found, followers = await visit.ask(piece)
                except PlatformError as error:
                    failures += 1 if error.kind in _PASSING else _MOST_FAILURES
                    await self._postpone(feed, piece, left if failures >= _MOST_FAILURES else [], error)
                    continue
                failures = 0
                stored += await self._keep(feed, piece, found, followers)
                if left and now() >= ends:
                    await self._database.write(partial(postpone, items=left, until=self._clock()))
                    break
            return stored

    async def _keep(
        self, feed: Feed, piece: Sequence[Item], found: Sequence[ContentMetrics], followers: int | None
    ) -> int:
        now = self._clock()
        return await self._database.write(lambda rows: store(rows, feed, piece, found, followers, now))

    async def _postpone(
        self, feed: Feed, failed: Sequence[Item], others: Sequence[Item], error: PlatformError
    ) -> None:
        """Postpone items. If only some of them may be the cause, the others are requested before them."""
        _log.info("no metrics", connection_id=str(feed.connection_id), reason=str(error))
        wait = _AGAIN_AFTER if error.kind in _PASSING | _LIMITED else _REFUSED_AGAIN_AFTER
        until = self._clock() + max(wait, timedelta(seconds=error.retry_after or 0))

        def postpone_all(rows: Connection) -> None:
            postpone(rows, others, until - _LOOK_EVERY if error.kind in _PASSING else until)
            postpone(rows, failed, until)

        await self._database.write(postpone_all)


class _Visit:
    """Calls for the items of one account. ``at_once`` is the maximum number of items per call."""

    def __init__(self, feed: Feed, adapter: Adapter | None, tokens: Tokens, call_limit: timedelta) -> None:
        self.at_once = adapter.counted_at_once(feed.account_identifier) if adapter else len(feed.items)
        self._feed = feed
        self._adapter = adapter
        self._tokens = tokens
        self._call_limit = call_limit
        self._token: str | None = None
        self._is_first = True

    async def ask(self, piece: Sequence[Item]) -> tuple[Sequence[ContentMetrics], int | None]:
        """Return the items' metrics, and with the first call the follower count. Raises PlatformError."""
        if self._adapter is None:
            raise PlatformError(FailureKind.INVALID, "not_set_up", "The platform isn't set up here.")
        ids = [item.content_id for item in piece]
        if self._token is None:
            self._token = await self._tokens.access_token(self._feed.connection_id)
        try:
            found = await self._count(self._adapter, self._token, ids)
        except PlatformError as error:
            if error.kind is not FailureKind.AUTH_EXPIRED or not self._is_first:
                raise
            self._token = await self._tokens.refused(self._feed.connection_id, self._token)
            found = await self._count(self._adapter, self._token, ids)
        followers = await self._followers(self._adapter, self._token) if self._is_first else None
        self._is_first = False
        return found, followers

    async def _count(self, adapter: Adapter, token: str, ids: Sequence[str]) -> Sequence[ContentMetrics]:
        asking = adapter.metrics(token, self._feed.account_identifier, ids)
        return await _guarded(asking, self._call_limit)

    async def _followers(self, adapter: Adapter, token: str) -> int | None:
        """Return the follower count; None if the platform doesn't report it. That doesn't fail the sample."""
        whose = self._feed.account_identifier
        try:
            if isinstance(adapter, FollowersAdapter):
                found = await _guarded(adapter.followers(token, whose), self._call_limit)
                return None if found is None else min(found, COUNT_MAX)
            profiles = await _guarded(adapter.profiles(token), self._call_limit)
        except PlatformError:
            return None
        counts = [one.follower_count for one in profiles if one.account_identifier == whose]
        return counts[0] if counts else None


async def _guarded(call: Awaitable[T], limit: timedelta) -> T:
    """Await a call with a timeout; convert unexpected errors to a transient PlatformError."""
    try:
        async with asyncio.timeout(limit.total_seconds()):
            return await call
    except PlatformError:
        raise
    except TimeoutError as error:
        raise PlatformError(FailureKind.TRANSIENT, "timeout", "no response in time") from error
    except Exception as error:
        _log.exception("a call for metrics failed unexpectedly")
        raise PlatformError(FailureKind.TRANSIENT, type(error).__name__, "unreadable response") from error
