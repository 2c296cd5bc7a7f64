"""One statement for many: what piles up while a write is under way is written together by the next one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database

Item = TypeVar("Item")
Result = TypeVar("Result")


class Gatherer(Generic[Item, Result]):
    """Writes items in the order in which they come, as many at once as are waiting."""

    def __init__(
        self,
        database: Database,
        work: Callable[[Connection, Sequence[Item]], Sequence[Result]],
        linger: Callable[[], Awaitable[None]],
    ) -> None:
        """Makes one.

        Args:
            database: Where items are written.
            work: Writes several items in one transaction and gives a result for each.
            linger: Returns when items have waited long enough for others.
        """
        self._database = database
        self._linger = linger
        self._work = work
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, item: Item) -> Result:
        """Returns when the item is durable; raises what the database raises for it."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_waiting())
        return await future

    async def close(self) -> None:
        """Waits no longer for the write under way; who waits for it must have gone before."""
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
                # One bad item must not take the others with it.
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
