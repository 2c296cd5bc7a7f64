"""The time of an embedded service: the computer's, once every connected platform was asked for its own."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import Connection, select

from app.contract.enums import ConnectionPlatform
from app.database import is_one_of
from app.platforms.base import PlatformError, TimeSource
from app.platforms.cards import CALLED_PLATFORMS, TIMED_PLATFORMS
from app.service.clock import PlatformClock
from app.service.publishing.clock import Timekeeper
from app.service.store.tables import connections
from app.service.worker import DATABASE_ERRORS

_log = structlog.get_logger(__name__)

_PATIENCE: Final = timedelta(minutes=2)
"""How long nothing is published while the time isn't proven."""
_ANSWER_S: Final = 10.0
"""How long to wait for an answer; later ones say too little about the time."""
_GOOD_FOR: Final = timedelta(minutes=10)
_ASK_AGAIN: Final = timedelta(seconds=30)
_SERVERS_MAX: Final = 8
"""Maximum number of servers of one network to ask."""


def connected_sources(rows: Connection) -> list[TimeSource]:
    """Return the platforms with available accounts; of a network without servers of its own, the servers."""
    available = select(connections.c.platform, connections.c.account_identifier).distinct()
    found: dict[ConnectionPlatform, set[str]] = {}
    where = connections.c.is_available, is_one_of(connections.c.platform, CALLED_PLATFORMS)
    for key, identifier in rows.execute(available.where(*where)):
        platform = ConnectionPlatform(key)
        server = "" if platform in TIMED_PLATFORMS else identifier.rpartition("@")[2]
        found.setdefault(platform, set()).add(server)
    return [
        TimeSource(platform, server)
        for platform, servers in sorted(found.items())
        for server in sorted(servers)[:_SERVERS_MAX]
    ]


class PlatformTime(Timekeeper):
    """The computer's time, proven by any of the connected platforms.

    Args:
        clock: The computer's clock, corrected by the times in responses.
        sources: Reads which platforms and servers can be asked.
        ask: Makes one of them send its time. Raises PlatformError.
    """

    def __init__(
        self,
        clock: PlatformClock,
        sources: Callable[[], Awaitable[Collection[TimeSource]]],
        ask: Callable[[TimeSource], Awaitable[None]],
    ) -> None:
        self._clock = clock
        self._read_sources = sources
        self._ask_source = ask
        self._sources: Collection[TimeSource] | None = None
        self._asking: set[asyncio.Task[None]] = set()
        self._asked_at: timedelta | None = None
        self._silent: set[TimeSource] = set()
        """The sources whose last question wasn't answered."""
        self._beginning = asyncio.Lock()

    def now(self) -> datetime:
        return self._clock()

    def behind(self, platform: ConnectionPlatform) -> timedelta:
        return self._clock.behind(platform)

    @property
    def is_certain(self) -> bool:
        """Whether the time is proven, nothing can prove it, or that has been tried for long enough."""
        has_none = self._sources is not None and not self._sources
        return has_none or self._is_proven or self._clock.uncertain_for >= _PATIENCE

    async def check(self) -> bool:
        """Ask every source unless the time is proven, until the first answers, for 10 s at most.

        A proof that is ten minutes old is renewed, but nothing waits for that.
        """
        if self._is_proven:
            if self._is_due_again():
                await self._begin_asking()
            return True
        await self._begin_asking()
        waiting = set(self._asking)
        while waiting and not self._is_proven:
            _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        return self.is_certain

    @property
    def _is_proven(self) -> bool:
        has_platforms = self._sources is None or any(not source.server for source in self._sources)
        return self._clock.is_proven(by_servers=not has_platforms)

    def _is_due_again(self) -> bool:
        is_old = self._clock.heard_ago >= _GOOD_FOR
        return is_old and (self._asked_at is None or self.elapsed() - self._asked_at >= _ASK_AGAIN)

    async def _begin_asking(self) -> None:
        """Ask every source, unless earlier questions aren't answered yet."""
        async with self._beginning:
            if self._asking:
                return
            self._asked_at = self.elapsed()
            try:
                self._sources = await self._read_sources()
            except DATABASE_ERRORS:
                _log.exception("the connected platforms could not be read")
            for source in self._sources or ():
                task = asyncio.create_task(self._ask(source))
                self._asking.add(task)
                task.add_done_callback(self._asking.discard)

    async def _ask(self, source: TimeSource) -> None:
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self._ask_source(source)
        except (PlatformError, TimeoutError):
            if source not in self._silent:
                _log.info("no answer with the time", platform=source.platform, server=source.server)
            self._silent.add(source)
        else:
            self._silent.discard(source)
