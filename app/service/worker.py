"""The base of background workers: rounds, claimed items, and calls from other processes."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import ClassVar, Final, Generic, TypeVar
from uuid import UUID

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database, DatabaseError

Item = TypeVar("Item")
_log = structlog.get_logger(__name__)

DATABASE_ERRORS: Final = (DatabaseError, SQLAlchemyError)
"""What the database raises. Its rows still say what is to be done, so the next round does it."""


class PeriodicWorker(ABC):
    """Works in rounds until it is stopped. For one event loop.

    Attributes:
        every: Rest after a round that asks for no other, and after one that failed.
        trouble: Logged when a round fails.
        passing: Errors after which the next round tries again.
    """

    every: ClassVar[timedelta]
    trouble: ClassVar[str]
    passing: ClassVar[tuple[type[Exception], ...]] = DATABASE_ERRORS

    def __init__(self) -> None:
        self._wake = asyncio.Event()
        self._was_woken = False
        """Whether somebody asked for the round under way."""
        self._stopping = False

    async def run(self) -> None:
        """Work until `stop`, or until it is cancelled."""
        while not self._stopping:
            self._was_woken = self._wake.is_set()
            self._wake.clear()
            rest = None
            try:
                rest = await self._round()
            except self.passing as error:
                self._report(error)
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
        """Do what is due; return how long to rest then, None for ``every``. May raise what is ``passing``."""

    def _report(self, error: Exception) -> None:
        """Log an error that is ``passing``, while it is handled."""
        _log.exception(self.trouble, exc_info=error)

    async def _rest(self, longest: timedelta) -> None:
        """Wait until `notify` or `stop`, but no longer than this."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(longest.total_seconds()):
                await self._wake.wait()


class ClaimingWorker(PeriodicWorker, Generic[Item]):
    """Claims items in its rounds, carries each in a task of its own, and renews the claims meanwhile.

    Cancelling `run` leaves claims behind, as a crash would: they run out, and the items are claimed again.

    Attributes:
        broken: Logged when carrying an item fails unexpectedly.
        named: What the key of an item is called in the log.
    """

    broken: ClassVar[str]
    named: ClassVar[str]

    def __init__(self, *, grace: timedelta, renew_every: timedelta | None = None) -> None:
        """``grace`` is how long stopping waits for what is carried; None renews nothing."""
        super().__init__()
        self._grace = grace
        self._renew_every = renew_every
        self._carried: dict[UUID, tuple[Item, asyncio.Task[None]]] = {}
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
        """Claim no more, wait a little for what is carried, and let go of the rest."""
        await super().stop()
        if self._ended is not None:
            await self._ended.wait()

    @abstractmethod
    async def _carry(self, item: Item) -> bool:
        """Do what an item needs; return whether something may be claimed then."""

    @abstractmethod
    async def _release_claims(self) -> None:
        """Give back every claim. May raise what the database raises."""

    async def _renew(self) -> None:
        """Renew the claims of everything that is carried. May raise what the database raises."""

    async def _close(self) -> None:
        """Let go of what the items shared, once none is carried any more."""

    async def _sleep(self, length: timedelta) -> None:
        await asyncio.sleep(length.total_seconds())

    def _set_off(self, key: UUID, item: Item) -> None:
        self._carried[key] = item, asyncio.create_task(self._carry_and_note(key, item))

    async def _carry_and_note(self, key: UUID, item: Item) -> None:
        look_again = True
        try:
            look_again = await self._carry(item)
        except Exception:  # noqa: BLE001  one item must not take the loop with it
            # The row still says what is next; its claim runs out, and the item is claimed again.
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
            _log.exception("claims could not be let go; they run out by themselves")

    async def _renew_until_cancelled(self) -> None:
        while self._renew_every is not None:
            await self._sleep(self._renew_every)
            try:
                await self._renew()
            except DATABASE_ERRORS:
                _log.exception("claims could not be renewed; trying again")


class CallWorker:
    """Wakes parts of this process when another one calls them."""

    def __init__(self, database: Database, called: Mapping[str, Callable[[], None]]) -> None:
        """``called`` has what to do on the event loop, by the subject of the call."""
        self._database = database
        self._called = called
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Listens until ``stop``."""
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as ends:
            for subject, wake in self._called.items():
                ends.callback(self._database.on_call(subject, _on_loop(loop, wake)))
            await self._stopped.wait()

    async def stop(self) -> None:
        self._stopped.set()


def _on_loop(loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> Callable[[], None]:
    def call() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and there is nobody to wake
            loop.call_soon_threadsafe(wake)

    return call
