"""Moving accounts by the companion API: what its endpoints call, without holding the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

from app.contract.enums import ErrorCode
from app.contract.moving import Arrival, CancelArrival, Departure, ExportFileList
from app.database import Database
from app.service.api.responses import ApiError, invalid
from app.service.clock import Clock
from app.service.media.intake import IDLE, pour, stalled, timely
from app.service.media.stores import MediaStore
from app.service.problems import CommandProblem
from app.service.store.seal import Seal
from app.service.threads import ended, in_thread
from app.service.transfer.visits import NotOfferedProblem

if TYPE_CHECKING:
    from app.service.transfer.arriving import Arrivals
    from app.service.transfer.departing import Departures

T = TypeVar("T")

_THREADS: Final = 4


@dataclass
class Moving:
    """Takes and gives accounts. Methods raise ApiError: 400 with the reason.

    Attributes:
        root: Folder of the installation.
        gives_secrets: Whether the access to connected accounts may leave with an account.
        idle: How long the sender of a file may pause.
    """

    root: Path
    database: Database
    store: MediaStore
    seal: Seal
    clock: Clock
    gives_secrets: bool = False
    idle: timedelta = IDLE
    _turns: WeakValueDictionary[UUID, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def offer(self, host: UUID, manifest: str) -> Arrival:
        return await self._asked(host, lambda: self._arrivals.offer(host, manifest))

    async def arrival(self, host: UUID) -> Arrival:
        return await self._asked(host, lambda: self._arrivals.state(host))

    async def receive(self, host: UUID, name: str, size: int, chunks: AsyncIterator[bytes]) -> None:
        """Store a file of an export. Also raises ClientDisconnect."""
        receiver = await self._asked(host, lambda: self._arrivals.receiver(host, name, size))
        try:
            async with asyncio.timeout(None) as limit:
                await pour(timely(chunks, limit, idle=self.idle), receiver.write, self._threads)
            await self._asked(None, receiver.finish)
        except CommandProblem as problem:
            raise _refused(problem) from None
        except TimeoutError:
            raise stalled() from None
        finally:
            await in_thread(receiver.abandon)

    async def begin_import(self, host: UUID, passphrase: str | None) -> Arrival:
        return await self._asked(host, lambda: self._arrivals.begin_import(host, passphrase))

    async def cancel(self, host: UUID, which: CancelArrival) -> Arrival:
        return await self._asked(host, lambda: self._arrivals.cancel(host, which))

    async def begin_departure(self, account_id: UUID, passphrase: str) -> Departure:
        return await self._asked(account_id, lambda: self._departures.begin(account_id, passphrase))

    async def departure(self, account_id: UUID) -> Departure:
        return await self._asked(account_id, lambda: self._departures.state(account_id))

    async def files(self, account_id: UUID, after: str) -> ExportFileList:
        return await self._asked(account_id, lambda: self._departures.files(account_id, after))

    async def file(self, account_id: UUID, name: str) -> Path:
        return await self._asked(account_id, lambda: self._departures.file(account_id, name))

    async def take_back(self, account_id: UUID) -> Departure:
        return await self._asked(account_id, lambda: self._departures.take_back(account_id))

    async def forget(self, account_id: UUID) -> Departure:
        return await self._asked(account_id, lambda: self._departures.forget(account_id))

    # Imported when they're first needed: a service starts without them.
    @cached_property
    def _arrivals(self) -> Arrivals:
        from app.service.transfer.arriving import Arrivals
        from app.service.transfer.importing import Target

        target = Target(self.database, self.store, self.seal, self.clock)
        return Arrivals(self.root / "moving" / "in", target)

    @cached_property
    def _departures(self) -> Departures:
        from app.service.transfer.departing import Departures
        from app.service.transfer.exporting import Source

        source = Source(self.root, self.database, self.store, self.seal, self.clock)
        return Departures(self.root / "moving" / "out", source, self.gives_secrets)

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(_THREADS, thread_name_prefix="moving")

    @cached_property
    def _asking(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(_THREADS, thread_name_prefix="asked about moving")

    async def _asked(self, account_id: UUID | None, work: Callable[[], T]) -> T:
        """Run blocking work on threads of its own, one call of an account at a time.

        It may read all rows of an export, and the sender decides how many there are. ``account_id`` is None
        for short work.
        """
        turn = self._turns.setdefault(account_id, asyncio.Lock()) if account_id else nullcontext()
        try:
            async with turn:
                return await ended(asyncio.get_running_loop().run_in_executor(self._asking, work))
        except NotOfferedProblem as problem:
            raise ApiError(ErrorCode.NOT_FOUND, str(problem)) from None
        except CommandProblem as problem:
            raise _refused(problem) from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ApiError(
                ErrorCode.INTERNAL_ERROR, f"The service can't use its files for moving: {reason}."
            ) from error


def _refused(problem: CommandProblem) -> ApiError:
    return invalid("", str(problem), "moving")
