"""The feed: who listens for changes, and one look at the database for all of them.

While somebody listens, the database is looked at after each commit of this process, when another one calls,
and every half second unless it tells that nothing has changed. Nothing is kept for a slow listener: each
reads on from where it is when it has room.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection

from app.database import Database
from app.service.accounts.keys import Principal, still_good
from app.service.api.errors import RateLimitedError
from app.service.clock import Clock
from app.service.companion.changes import Change, can_resume, concerned, newest, prune, read_changes
from app.service.worker import DATABASE_ERRORS, PeriodicWorker

_log = structlog.get_logger(__name__)

STREAMS_MAX: Final = 10
"""How many streams one key may have open at once."""
KEPT: Final = timedelta(days=1)
"""How long a change can be resumed from."""

_LOOK_EVERY_S: Final = 0.5
_KEYS_EVERY_S: Final = 2.0
"""The longest that a key which runs out keeps its stream while nothing changes."""
_BREATH_S: Final = 0.01
"""The least time between two looks: commits that follow each other closely share one."""
_PAGE: Final = 100
_PRUNE_ROWS: Final = 1_000


@dataclass(eq=False, slots=True)
class _Listener:
    """One open stream."""

    account_id: UUID
    key_id: UUID
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False

    def end(self) -> None:
        self.over = True
        self.changed.set()

    async def wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.changed.wait()


class ChangeFeed(PeriodicWorker):
    """Streams of changes, one for each caller who listens. As a worker it forgets old changes.

    For one event loop.
    """

    every = timedelta(minutes=10)
    trouble = "old changes could not be forgotten; trying again later"

    def __init__(
        self, database: Database, clock: Clock, *, keep_alive: timedelta = timedelta(seconds=4)
    ) -> None:
        """``keep_alive`` is the longest silence of a stream; apps tell from it that the service is there."""
        super().__init__()
        self._database = database
        self._clock = clock
        self._keep_alive_s = keep_alive.total_seconds()
        self._listeners: dict[_Listener, None] = {}  # ordered: simulated runs must be reproducible
        self._watching: asyncio.Task[None] | None = None

    def require_room(self, principal: Principal) -> None:
        """Raises RateLimitedError when the key has as many streams open as it may have."""
        if sum(one.key_id == principal.key_id for one in self._listeners) >= STREAMS_MAX:
            raise RateLimitedError(
                f"The key has {STREAMS_MAX} streams open already. Close one first.",
                retry_after=self._keep_alive_s,
            )

    async def follow(
        self, principal: Principal, after: int | None
    ) -> AsyncGenerator[Change | int | None, None]:
        """The account's changes after number ``after``, as long as the key is good and the service runs.

        Begins with a number when the changes before it must be read elsewhere: there was no ``after``, or
        changes since then are forgotten. None stands for a silence.
        """
        with self._listening(principal) as listener:
            position = await self._database.read(lambda rows: _resume(rows, after))
            if position is None:
                position = await self._database.read(newest)
                yield position
            while not listener.over:
                listener.changed.clear()
                found = await self._read(listener, position)
                if found is None:
                    return
                for change in found:
                    yield change
                    position = change.seq
                if len(found) < _PAGE:
                    await listener.wait(self._keep_alive_s)
                    while not listener.changed.is_set():  # nobody else's changes are worth a read
                        yield None
                        await listener.wait(self._keep_alive_s)

    async def stop(self) -> None:
        """End all streams; one that is opened from now on ends immediately."""
        await super().stop()
        for listener in self._listeners:
            listener.end()

    @contextlib.contextmanager
    def _listening(self, principal: Principal) -> Iterator[_Listener]:
        listener = _Listener(principal.account_id, principal.key_id, over=self._stopping)
        self._listeners[listener] = None
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        try:
            yield listener
        finally:
            self._listeners.pop(listener, None)
            if not self._listeners and self._watching is not None:
                self._watching.cancel()
                self._watching = None

    async def _read(self, listener: _Listener, after: int) -> list[Change] | None:
        """What comes next for a listener, None when its key opens nothing any more."""
        now = self._clock()

        def work(rows: Connection) -> list[Change] | None:
            if not still_good(rows, [listener.key_id], now):
                return None
            return read_changes(rows, listener.account_id, after, _PAGE)

        return await self._database.read(work)

    async def _watch(self) -> None:
        loop, committed = asyncio.get_running_loop(), asyncio.Event()

        def hear() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody listens
                loop.call_soon_threadsafe(committed.set)

        ends = self._database.on_commit(hear), self._database.on_call("changes", hear)
        try:
            seen = await self._newest()
            for listener in self._listeners:  # which may have read before that
                listener.changed.set()
            version, looked_at = None, loop.time()
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_EVERY_S):
                        await committed.wait()
                is_same = version is not None and version == self._database.version()
                if committed.is_set() or not is_same or loop.time() - looked_at >= _KEYS_EVERY_S:
                    committed.clear()
                    version, looked_at = self._database.version(), loop.time()
                    seen = await self._look(seen)
                    await asyncio.sleep(_BREATH_S)
        finally:
            for end in ends:
                end()

    async def _newest(self) -> int:
        while True:
            try:
                return await self._database.read(newest)
            except DATABASE_ERRORS:
                _log.exception("changes could not be read; trying again")
                await asyncio.sleep(_LOOK_EVERY_S)

    async def _look(self, seen: int) -> int:
        """Wakes whoever has something to read, and ends streams whose key is no longer good."""
        keys, now = {one.key_id for one in self._listeners}, self._clock()
        accounts = {one.account_id for one in self._listeners}

        def work(rows: Connection) -> tuple[int, frozenset[UUID], frozenset[UUID]]:
            last = newest(rows)
            changed = concerned(rows, seen, accounts) if last > seen and accounts else frozenset()
            return last, changed, still_good(rows, keys, now)

        try:
            last, changed, good = await self._database.read(work)
        except DATABASE_ERRORS:
            _log.exception("changes could not be read; trying again")
            return seen
        for listener in self._listeners:
            if listener.key_id in keys - good:
                listener.end()
            elif listener.account_id in changed:
                listener.changed.set()
        return last

    async def _round(self) -> None:
        before = self._clock() - KEPT
        while await self._database.write(lambda rows: prune(rows, before, _PRUNE_ROWS)) == _PRUNE_ROWS:
            continue


def _resume(rows: Connection, after: int | None) -> int | None:
    return after if after is not None and can_resume(rows, after) else None
