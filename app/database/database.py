"""One database: reads in a few threads, writes through the committer; both awaitable."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from app.database.calls import Calls
from app.database.committer import Committer, Work
from app.database.engines import snapshot_options
from app.database.errors import DatabaseUnreachableError, is_disconnect, translated
from app.database.in_place import InPlaceReader, TakesTooLongError

T = TypeVar("T")

_READERS = 4
_REMEMBERED_MAX: Final = 1_000


class Database:
    """Rows behind an engine. ``work`` is a function of a connection; it runs in a thread and must not await.

    Raises a DatabaseError where the database itself is the reason, else what the work raised.
    """

    def __init__(self, engine: Engine, name: str, *, reads_in_place: bool = False) -> None:
        """Opens for reading and writing.

        Args:
            engine: Where the rows are.
            name: What error messages call this database, for example its path.
            reads_in_place: ``read`` first tries the thread of the event loop, for some milliseconds at most:
                for a service on SQLite; a window must never wait for a disk, nor anybody for a network.
        """
        self.engine = engine
        self.name = name
        self._committer = Committer(engine, name)
        self._snapshot = snapshot_options(engine)
        self._remembered: dict[Hashable, Any] = {}
        self._remembered_at: int | None = None
        self._calls = Calls(engine, name) if engine.dialect.name == "postgresql" else None
        self._in_place = InPlaceReader(engine) if reads_in_place else None
        self._shares = _Shares(_READERS // 2)
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix=f"reader {name}")

    async def read(self, work: Work[T], *, share: Hashable | None = None) -> T:
        """Runs ``work`` in a read transaction; it may run twice, so it must do nothing but read.

        Of the threads that read, all work of one ``share``, such as an account, gets half at a time: however
        much one asks for, others find a thread.
        """
        if self._in_place is not None:
            try:
                return self._in_place.read(work)
            except TakesTooLongError:
                pass
            except DBAPIError:
                with translated(self.name):
                    raise
        async with self._shares.turn(share):
            return await asyncio.get_running_loop().run_in_executor(self._readers, self.read_now, work)

    async def read_remembered(self, what: Hashable, work: Work[T]) -> T:
        """``read`` of something small that is asked for again and again, under a name.

        It is remembered until anybody, in this process or another, has changed anything; where the database
        does not tell of changes it is read each time.
        """
        version = self.version()
        if version is None:
            return await self.read(work)
        if version != self._remembered_at or len(self._remembered) >= _REMEMBERED_MAX:
            self._remembered, self._remembered_at = {}, version
        if what not in self._remembered:
            # Found since the version was read, so it is as new as that, or newer and forgotten next time.
            remembered, found = self._remembered, await self.read(work)
            remembered[what] = found
            return found
        return cast("T", self._remembered[what])

    def version(self) -> int | None:
        """Return a number that differs after anybody, in this process or another, has changed anything.

        None where the database doesn't tell of changes; callers then have to read.
        """
        return None if self._in_place is None else self._in_place.version()

    async def write(self, work: Work[T]) -> T:
        """Runs ``work`` in a write transaction; when this returns, it is durable.

        Cancelling the caller does not undo a write that has begun.
        """
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Work[T]) -> Future[T]:
        """Queues a write without waiting for it."""
        return self._committer.submit(work)

    def read_now(self, work: Work[T]) -> T:
        """``read`` for callers without an event loop."""
        try:
            return self._read(work)
        except DatabaseUnreachableError as error:
            if not is_disconnect(error):
                raise
            return self._read(work)  # the server was started anew since the connection was used last

    def _read(self, work: Work[T]) -> T:
        with translated(self.name), self.engine.connect() as plain:
            connection = plain.execution_options(**self._snapshot)
            with connection.begin():
                return work(connection)

    def write_now(self, work: Work[T]) -> T:
        """``write`` for callers without an event loop."""
        return self.submit(work).result()

    def on_commit(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Has ``listener`` called after each commit of this process until the function it gives is called.

        It runs on the committing thread and must neither block nor raise.
        """
        self._committer.listeners += (listener,)

        def end() -> None:
            self._committer.listeners = tuple(one for one in self._committer.listeners if one is not listener)

        return end

    def on_call(self, subject: str, listener: Callable[[], None]) -> Callable[[], None]:
        """Has ``listener`` called after a process, be it this one, has called others about a subject.

        It runs on a thread of its own and must neither block nor raise; calls may be lost, and some databases
        have none at all. Ends when the function that it gives is called.
        """
        if self._calls is None:
            return lambda: None
        return self._calls.listen(subject, listener)

    def close(self) -> None:
        """Finishes queued writes and lets go of the database."""
        self._committer.close()
        self._readers.shutdown()
        if self._calls is not None:
            self._calls.close()
        if self._in_place is not None:
            self._in_place.close()
        self.engine.dispose()


class _Shares:
    """Turns by name: of each name so many at a time, in the order in which they were asked for."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._busy: dict[Hashable, _Share] = {}

    @contextlib.asynccontextmanager
    async def turn(self, name: Hashable | None) -> AsyncIterator[None]:
        """A turn of ``name`` while the block runs; None waits for nobody."""
        if name is None:
            yield
            return
        share = self._busy.get(name)
        if share is None:
            share = self._busy[name] = _Share(asyncio.Semaphore(self._most))
        share.users += 1
        try:
            async with share.turns:
                yield
        finally:
            share.users -= 1
            if not share.users:
                del self._busy[name]


@dataclass(slots=True)
class _Share:
    """The turns of one name, and how many use or wait for them."""

    turns: asyncio.Semaphore
    users: int = 0
