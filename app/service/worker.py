"""Base classes of background workers: rounds, claimed items, and notifications from other processes."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import ClassVar, Final, Generic, TypeVar
from uuid import UUID

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database, DatabaseError

Item = TypeVar("Item")
T = TypeVar("T")
_log = structlog.get_logger(__name__)

DATABASE_ERRORS: Final = (DatabaseError, SQLAlchemyError)
"""Database errors. The rows still say what is to be done, so the next round does it."""

_WRITE_AGAIN: Final = timedelta(seconds=1)
_RELEASE_AFTER: Final = (timedelta(seconds=5), timedelta(seconds=20))
"""When claims are released again after a failed write: a server may commit it long after it was given up."""

_UNFORESEEN: Final = "a background worker met an unexpected error; trying again"


class PeriodicWorker(ABC):
    """Works in rounds until stopped, whatever happens in one of them. For one event loop.

    Attributes:
        every: Pause after a round that returns none, and after one that failed.
        trouble: Logged when a round fails.
        passing: Errors after which the next round tries again.
    """

    every: ClassVar[timedelta]
    trouble: ClassVar[str]
    passing: ClassVar[tuple[type[Exception], ...]] = DATABASE_ERRORS

    def __init__(self) -> None:
        self._wake = asyncio.Event()
        self._was_woken = False
        """Whether the current round was requested by `notify`."""
        self._stopping = False

    async def run(self) -> None:
        """Work until `stop` or until cancelled."""
        while not self._stopping:
            self._was_woken = self._wake.is_set()
            self._wake.clear()
            rest = None
            try:
                rest = await self._round()
            except self.passing as error:
                self._report(error)
            except Exception:  # noqa: BLE001  one worker must not end the others, and with them the service
                _log.critical(_UNFORESEEN, worker=type(self).__name__, exc_info=True)
            await self._rest(self.every if rest is None else rest)

    def notify(self) -> None:
        """Start the next round now."""
        self._wake.set()

    async def stop(self) -> None:
        """Start no more rounds."""
        self._stopping = True
        self._wake.set()

    @abstractmethod
    async def _round(self) -> timedelta | None:
        """Do what is due; return how long to rest, or None for ``every``. May raise ``passing`` errors."""

    def _report(self, error: Exception) -> None:
        """Log a ``passing`` error while it is being handled."""
        _log.exception(self.trouble, exc_info=error)

    async def _rest(self, longest: timedelta) -> None:
        """Wait until `notify` or `stop`, but at most ``longest``."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(longest.total_seconds()):
                await self._wake.wait()


async def _sleep(length: timedelta) -> None:
    await asyncio.sleep(length.total_seconds())


async def until_written(
    write: Callable[[], Awaitable[T]],
    trouble: str,
    *,
    sleep: Callable[[timedelta], Awaitable[None]] = _sleep,
    **named: str,
) -> T:
    """Repeat a write until the database accepts it: what it stores can't be had again. Returns its result.

    ``trouble`` and ``named`` are logged each time the write fails.
    """
    while True:
        try:
            return await write()
        except DATABASE_ERRORS:
            _log.exception(f"{trouble}; trying again", **named)
            await sleep(_WRITE_AGAIN)


async def all_done(works: Iterable[Awaitable[T]]) -> list[T]:
    """Return the results of simultaneous work. Raises its first error, but only once all of it has ended."""
    results = await asyncio.gather(*works, return_exceptions=True)
    for error in results:
        if isinstance(error, BaseException):
            raise error
    return [result for result in results if not isinstance(result, BaseException)]


class ClaimingWorker(PeriodicWorker, Generic[Item]):
    """Claims items in its rounds, processes each in a separate task, and renews the claims meanwhile.

    Cancelling `run` leaves claims behind, like a crash: they expire, and the items are claimed again.

    Attributes:
        broken: Logged when processing an item fails unexpectedly.
        named: Name of the item's key in logs.
    """

    broken: ClassVar[str]
    named: ClassVar[str]

    def __init__(self, *, grace: timedelta, renew_every: timedelta | None = None) -> None:
        """``grace`` is how long stopping waits for items in progress; ``renew_every`` may be None."""
        super().__init__()
        self._grace = grace
        self._renew_every = renew_every
        self._carried: dict[UUID, tuple[Item, asyncio.Task[None]]] = {}
        self._releases: Sequence[timedelta] = ()
        """When to release claims on items that aren't carried, by `_elapsed`."""
        self._released_at: timedelta | None = None
        self._ended: asyncio.Event | None = None

    async def run(self) -> None:
        """Work until `stop`. Cancelling it instead leaves claims behind."""
        self._ended = asyncio.Event()
        renewal = asyncio.create_task(self._renew_until_cancelled())
        try:
            await super().run()
            if self._carried:
                tasks = [task for _, task in self._carried.values()]
                await asyncio.wait(tasks, timeout=self._grace.total_seconds())
            await self._release()
        finally:
            renewal.cancel()
            await self._cut_off()
            await asyncio.gather(renewal, return_exceptions=True)
            await self._close()
            self._ended.set()

    async def stop(self) -> None:
        """Stop claiming, wait briefly for items in progress, and release the rest."""
        await super().stop()
        if self._ended is not None:
            await self._ended.wait()

    @abstractmethod
    async def _carry(self, item: Item) -> bool:
        """Process an item; return whether to look for more items right after it."""

    @abstractmethod
    async def _release_claims(self) -> None:
        """Release every claim. May raise database errors."""

    @abstractmethod
    async def _release_others(self, carried: frozenset[UUID]) -> None:
        """Release every claim except those on the items in progress. May raise database errors."""

    async def _renew(self) -> None:
        """Renew the claims of all items in progress. May raise database errors."""

    async def _close(self) -> None:
        """Release shared resources, once no item is in progress."""

    async def _sleep(self, length: timedelta) -> None:
        await asyncio.sleep(length.total_seconds())

    def _elapsed(self) -> timedelta:
        """Return the time on the monotonic clock."""
        return timedelta(seconds=asyncio.get_running_loop().time())

    async def _claimed(self, claiming: Awaitable[T]) -> T:
        """Return what was claimed. After a failed write, some of it may nevertheless be."""
        try:
            return await claiming
        except DATABASE_ERRORS:
            self._note_doubt()
            raise

    def _note_doubt(self) -> None:
        """Note that a write has failed, so this worker may hold claims on items that it doesn't process."""
        now = self._elapsed()
        # Only the first immediately: an error that lasts would become a loop of claims and releases.
        first = now if self._released_at is None else max(now, self._released_at + _RELEASE_AFTER[0])
        self._releases = [first, *(now + after for after in _RELEASE_AFTER)]

    async def _release_uncarried(self) -> bool:
        """After a failed write, release claims on items that aren't carried, or they'd wait for their leases.

        For the beginning of a round: only a round claims items and starts to carry them, so no claim is
        released in between. Returns whether there may be items to claim again.
        """
        now = self._elapsed()
        if not self._releases or self._releases[0] > now:
            return False
        try:
            await self._release_others(frozenset(self._carried))
        except DATABASE_ERRORS:
            self._note_doubt()  # the moments count from the database's return
            raise
        self._released_at = now
        self._releases = [moment for moment in self._releases if moment > now]
        return True

    def _set_off(self, key: UUID, item: Item) -> None:
        self._carried[key] = item, asyncio.create_task(self._carry_and_note(key, item))

    async def _carry_and_note(self, key: UUID, item: Item) -> None:
        look_again = True
        try:
            look_again = await self._carry(item)
        except Exception as error:  # noqa: BLE001  one item must not end the loop
            if isinstance(error, DATABASE_ERRORS):
                self._note_doubt()
            # The row still says what is next. Its claim expires, and the item is claimed again.
            _log.exception(self.broken, **{self.named: str(key)})
        finally:
            del self._carried[key]
            if look_again:
                self._wake.set()

    async def _cut_off(self) -> None:
        tasks = [task for _, task in self._carried.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _release(self) -> None:
        try:
            await self._release_claims()
        except DATABASE_ERRORS:
            _log.exception("claims could not be released; they will expire")

    async def _renew_until_cancelled(self) -> None:
        while self._renew_every is not None:
            await self._sleep(self._renew_every)
            try:
                await self._renew()
            except DATABASE_ERRORS:
                _log.exception("claims could not be renewed; trying again")
            except Exception:  # noqa: BLE001  claims must not expire while their items are being processed
                _log.critical(_UNFORESEEN, worker=type(self).__name__, exc_info=True)


class CallWorker:
    """Wakes parts of this process on notifications from other processes."""

    def __init__(self, database: Database, called: Mapping[str, Callable[[], None]]) -> None:
        """``called`` has the callbacks for the event loop, by subject."""
        self._database = database
        self._called = called
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Listen until ``stop``."""
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as ends:
            for subject, wake in self._called.items():
                ends.callback(self._database.on_call(subject, _on_loop(loop, wake)))
            await self._stopped.wait()

    async def stop(self) -> None:
        self._stopped.set()


def _on_loop(loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> Callable[[], None]:
    def call() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, so there is nothing to wake
            loop.call_soon_threadsafe(wake)

    return call
