"""The change feed: open event streams, and one query for all of them.

While there are streams, the database is queried after each commit of this process, on notifications from
other processes, and every half second if it can't report changes. Nothing is buffered for a slow client:
each stream continues from its position when there is room.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection as Rows

from app.database import Database
from app.service.accounts.accounts import Caller, Principal, next_expiry, still_good
from app.service.api.responses import RateLimitedError
from app.service.clock import Clock
from app.service.companion.change_log import (
    Change,
    Concerned,
    Position,
    concerned,
    newest,
    prune,
    read_changes,
    resume,
)
from app.service.worker import DATABASE_ERRORS, PeriodicWorker

_log = structlog.get_logger(__name__)

STREAMS_MAX: Final = 10
"""Maximum number of open streams per key."""
KEPT: Final = timedelta(days=1)
"""How long a stream can be resumed."""

_LOOK_EVERY_S: Final = 0.5
_ASK_EVERY_S: Final = 1.0
"""How often a database is asked whether other processes have changed it, in s."""
_BREATH_S: Final = 0.01
"""Minimum time between queries, in s, so that commits in quick succession share one."""
_PAGE: Final = 100
_PRUNE_ROWS: Final = 1_000


@dataclass(eq=False, slots=True)
class _Listener:
    """One open stream."""

    account_id: UUID
    key_id: UUID
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False

    @property
    def caller(self) -> Caller:
        """The key and the account it belonged to when the stream began."""
        return Caller(self.account_id, self.key_id)

    def end(self) -> None:
        self.over = True
        self.changed.set()

    async def wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.changed.wait()


class ChangeFeed(PeriodicWorker):
    """Event streams, one per listener. As a worker, it deletes old changes. For one event loop."""

    every = timedelta(minutes=10)
    trouble = "old changes could not be deleted; trying again later"

    def __init__(
        self, database: Database, clock: Clock, *, keep_alive: timedelta = timedelta(seconds=4)
    ) -> None:
        """``keep_alive`` is the longest silence of a stream, by which apps know that the service is up."""
        super().__init__()
        self._database = database
        self._clock = clock
        self._keep_alive_s = keep_alive.total_seconds()
        self._listeners: dict[_Listener, None] = {}  # ordered: simulated runs must be reproducible
        self._watching: asyncio.Task[None] | None = None
        self._expiry: datetime | None = None
        """When the first of the listeners' keys expires."""

    def require_room(self, principal: Principal) -> None:
        """Raise RateLimitedError if the key has the maximum number of open streams."""
        if sum(one.key_id == principal.key_id for one in self._listeners) >= STREAMS_MAX:
            raise RateLimitedError(
                f"The key has {STREAMS_MAX} open streams, the most allowed. Close one first.",
                retry_after=self._keep_alive_s,
            )

    async def follow(
        self, principal: Principal, after: Position | None
    ) -> AsyncGenerator[Change | Position | None, None]:
        """Yield the account's changes after ``after``, while the key is valid and the service runs.

        Yields a position first if earlier changes must be read elsewhere, because there was no ``after`` or
        they were deleted. Yields None as a keep-alive.
        """
        with self._listening(principal) as listener:
            position = await self._database.read(lambda rows: _resume(rows, principal.account_id, after))
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
                    position = change.position
                if len(found) < _PAGE:
                    await listener.wait(self._keep_alive_s)
                    while not listener.changed.is_set():  # other accounts' changes aren't worth a query
                        yield None
                        await listener.wait(self._keep_alive_s)

    async def stop(self) -> None:
        """End all streams, and any opened from now on."""
        await super().stop()
        for listener in self._listeners:
            listener.end()

    @contextlib.contextmanager
    def _listening(self, principal: Principal) -> Iterator[_Listener]:
        listener = _Listener(principal.account_id, principal.key_id, over=self._stopping)
        self._listeners[listener] = None
        self._expiry = self._clock()  # unknown, so look soon
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        try:
            yield listener
        finally:
            self._listeners.pop(listener, None)
            if not self._listeners and self._watching is not None:
                self._watching.cancel()
                self._watching = None

    async def _read(self, listener: _Listener, after: Position) -> list[Change] | None:
        """Return a listener's next changes; None if its key isn't valid for its account."""
        now = self._clock()

        def work(rows: Rows) -> list[Change] | None:
            if listener.caller not in still_good(rows, [listener.key_id], now):
                return None
            return read_changes(rows, listener.account_id, after, _PAGE)

        return await self._database.read(work)

    async def _watch(self) -> None:
        while True:
            try:
                await self._watch_until_failure()
            except Exception:  # noqa: BLE001  all streams depend on this task, and nobody awaits it
                _log.critical("changes could not be watched; trying again", exc_info=True)
                await asyncio.sleep(_LOOK_EVERY_S)

    async def _watch_until_failure(self) -> None:
        loop, committed = asyncio.get_running_loop(), asyncio.Event()

        def hear() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody listens
                loop.call_soon_threadsafe(committed.set)

        ends = self._database.on_commit(hear), self._database.on_call("changes", hear)
        try:
            seen = await self._newest()
            for listener in self._listeners:  # they may have read earlier
                listener.changed.set()
            version = None
            held_s, is_more_coming = _BREATH_S, False
            while True:
                pause_s = _LOOK_EVERY_S if version is None else _ASK_EVERY_S
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(held_s if is_more_coming else pause_s):
                        await committed.wait()
                is_same = version is not None and version == self._database.version()
                has_expired = self._expiry is not None and self._expiry <= self._clock()
                if committed.is_set() or not is_same or has_expired:
                    committed.clear()
                    version = self._database.version()
                    seen, is_more_coming = await self._look(seen)
                    # Nobody notifies of the end of the transaction that holds others back.
                    held_s = min(2 * held_s, _LOOK_EVERY_S) if is_more_coming else _BREATH_S
                    await asyncio.sleep(_BREATH_S)
        finally:
            for end in ends:
                end()

    async def _newest(self) -> Position:
        while True:
            try:
                return await self._database.read(newest)
            except DATABASE_ERRORS:
                _log.exception("changes could not be read; trying again")
                await asyncio.sleep(_LOOK_EVERY_S)

    async def _look(self, seen: Position) -> tuple[Position, bool]:
        """Wake listeners with new changes, and end streams whose key no longer gives access to their account.

        Returns how far it looked, and whether there are committed changes that can't be read yet.
        """
        asked, now = frozenset(self._listeners), self._clock()
        keys, accounts = {one.key_id for one in asked}, {one.account_id for one in asked}
        before = self._expiry

        def work(rows: Rows) -> tuple[Position, Concerned, frozenset[Caller], datetime | None]:
            end = newest(rows)
            found = concerned(rows, seen, accounts) if end > seen and accounts else Concerned()
            return end, found, still_good(rows, keys, now), next_expiry(rows, keys, now)

        try:
            end, found, good, expiry = await self._database.read(work)
        except DATABASE_ERRORS:
            _log.exception("changes could not be read; trying again")
            return seen, False
        if self._expiry is before:  # no listener came meanwhile
            self._expiry = expiry
        for listener in self._listeners:
            if listener not in asked:  # it came meanwhile, and may have read before this look
                listener.changed.set()
            elif listener.caller not in good:
                listener.end()
            elif listener.account_id in found.now:
                listener.changed.set()
        return end, bool(found.soon)

    async def _round(self) -> None:
        before = self._clock() - KEPT
        while await self._database.write(lambda rows: prune(rows, before, _PRUNE_ROWS)) == _PRUNE_ROWS:
            continue


def _resume(rows: Rows, account_id: UUID, after: Position | None) -> Position | None:
    return None if after is None else resume(rows, account_id, after)
