"""A database whose writes are done in their order, a moment after they were handed over."""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, TypeVar

from app.database.committer import Work
from tests.simulation.faults import Faults
from tests.simulation.lives import Life
from tests.simulation.store import SimulatedDatabase, Store

T = TypeVar("T")


class QueuedDatabase(SimulatedDatabase):
    """Replaces the committer's thread and the readers: other tasks run while they work.

    Args:
        delays: How long work takes.
    """

    def __init__(
        self,
        store: Store,
        life: Life,
        faults: Faults,
        note: Callable[..., None],
        delays: random.Random,
        *,
        is_server: bool = False,
    ) -> None:
        super().__init__(store, life, faults, note, is_server=is_server)
        self._owner = life
        self._delays = delays
        self._queue: deque[tuple[Work[Any], Future[Any]]] = deque()
        self._is_writing = False
        self._listeners: list[Callable[[], None]] = []

    async def read(self, work: Work[T], *, share: Hashable | None = None) -> T:
        await asyncio.sleep(0.002 * self._delays.random())
        return await super().read(work, share=share)

    async def write(self, work: Work[T]) -> T:
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Work[T]) -> Future[T]:
        self._owner.must_live()
        future: Future[T] = Future()
        self._queue.append((work, future))
        if not self._is_writing:
            self._is_writing = True
            self._owner.start(self._write_all())
        return future

    def on_commit(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def close(self) -> None:
        """The world closes the file."""

    async def commit(self, work: Work[T]) -> T:
        """Does one piece of work in a transaction of its own."""
        return await super().write(work)

    async def _write_all(self) -> None:
        while self._queue:
            await asyncio.sleep(0.001 + 0.02 * self._delays.random() ** 4)
            work, future = self._queue.popleft()
            if future.set_running_or_notify_cancel():
                await self._write_one(work, future)
        self._is_writing = False

    async def _write_one(self, work: Work[Any], future: Future[Any]) -> None:
        try:
            result = await self.commit(work)
        except Exception as error:  # noqa: BLE001  the waiting caller gets it
            future.set_exception(error)
        else:
            future.set_result(result)
        for listener in tuple(self._listeners):
            listener()
