"""Group commit: items that arrive during a write are written together by the next one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database

Item = TypeVar("Item")
Result = TypeVar("Result")


class Gatherer(Generic[Item, Result]):
    """Writes items in order of arrival, as many per transaction as are waiting."""

    def __init__(
        self,
        database: Database,
        work: Callable[[Connection, Sequence[Item]], Sequence[Result]],
        linger: Callable[[], Awaitable[None]],
    ) -> None:
        """Create a gatherer.

        Args:
            database: The database to write to.
            work: Writes several items in one transaction and returns a result for each.
            linger: Returns when items have waited long enough for more to arrive.
        """
        self._database = database
        self._linger = linger
        self._work = work
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, item: Item) -> Result:
        """Return the result once the item is durable; raises the database's error for it."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_waiting())
        return await future

    async def close(self) -> None:
        """Cancel the write in progress. Callers of ``write`` must have been cancelled before."""
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)

    async def _write_waiting(self) -> None:
        while self._waiting:
            await self._linger()
            group, self._waiting = self._waiting, []
            try:
                await self._write_group(group)
            except SQLAlchemyError:
                # One bad item must not fail the others.
                for single in group:
                    await self._write_single(single)
            except Exception as error:  # noqa: BLE001  everyone who waits learns of it
                _fail(group, error)

    async def _write_single(self, single: tuple[Item, asyncio.Future[Result]]) -> None:
        try:
            await self._write_group([single])
        except Exception as error:  # noqa: BLE001  the waiting caller gets it
            _fail([single], error)

    async def _write_group(self, group: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        items = [item for item, _ in group]
        results = await self._database.write(lambda rows: self._work(rows, items))
        for (_, future), result in zip(group, results, strict=True):
            if not future.done():
                future.set_result(result)


def _fail(group: Sequence[tuple[Item, asyncio.Future[Result]]], error: Exception) -> None:
    for _, future in group:
        if not future.done():
            future.set_exception(error)
