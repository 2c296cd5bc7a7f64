"""A database with awaitable reads in a few threads and awaitable writes through the committer."""

import asyncio
import contextlib
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool

from app.database.calls import Caller, Calls
from app.database.committer import Committer, Work
from app.database.dialects import OWN_TRANSACTIONS, snapshot_options
from app.database.errors import DatabaseUnreachableError, is_conflict, is_disconnect, translated

T = TypeVar("T")


# An indexed lookup in SQLite takes some hundredths of a millisecond. A round trip to a thread takes several
# times that, and far more if two threads compete for the GIL.
_LONGEST_S: Final = 0.005
_STEPS_BETWEEN_LOOKS: Final = 5_000


class TakesTooLongError(Exception):
    """The work was aborted because it would block the event loop. Run it in a thread."""


class InPlaceReader:
    """A dedicated read-only connection that runs one unit of work at a time."""

    def __init__(self, engine: Engine) -> None:
        """Take a connection from the engine's pool permanently. SQLite only."""
        self._connection = engine.connect().execution_options(**{OWN_TRANSACTIONS: True})
        driver: Any = self._connection.connection.driver_connection
        self._driver: sqlite3.Connection = driver
        self._driver.execute("PRAGMA query_only = ON")
        self._driver.set_progress_handler(self._is_over_time, _STEPS_BETWEEN_LOOKS)
        self._lock = threading.Lock()
        self._until = math.inf

    def read(self, work: Work[T]) -> T:
        """Run ``work`` in a read transaction. Raises TakesTooLongError, without any effect."""
        if not self._lock.acquire(blocking=False):
            raise TakesTooLongError
        try:
            self._execute("BEGIN")
            self._until = time.perf_counter() + _LONGEST_S
            try:
                return work(self._connection)
            finally:
                self._until = math.inf  # only abort the work itself
                if self._driver.in_transaction:  # an I/O error ends it
                    self._execute("ROLLBACK")
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
                raise TakesTooLongError from error
            raise
        finally:
            self._lock.release()

    def version(self) -> int | None:
        """Number that changes with every commit of any process; None while it can't be read here."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            version: int = self._driver.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:
            return None  # callers then read, and get an error that they handle
        else:
            return version
        finally:
            self._lock.release()

    def close(self) -> None:
        """Return the connection."""
        with self._lock:
            self._connection.close()

    def _execute(self, statement: str) -> None:
        """Run a statement without SQLAlchemy's overhead, but with its errors."""
        try:
            self._driver.execute(statement)
        except sqlite3.Error as error:
            raise OperationalError(statement, None, error) from error

    def _is_over_time(self) -> bool:
        return time.perf_counter() > self._until


_READERS = 4
_REMEMBERED_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class Load:
    """How busy a database is, as seen by this process.

    Attributes:
        in_use: Connections in use.
        pool_size: Connections that stay open; in a burst, there may be more.
        waiting_writes: Writes that wait for the next commit.
    """

    in_use: int
    pool_size: int
    waiting_writes: int


class Database:
    """The rows behind an engine. ``work`` is a function of a connection, runs in a thread and can't await.

    Raises a DatabaseError for problems of the database itself; other errors of the work pass through.
    """

    def __init__(self, engine: Engine, name: str, *, reads_in_place: bool = False) -> None:
        """Open a database for reading and writing.

        Args:
            engine: Engine of the database.
            name: What error messages call the database, for example its path.
            reads_in_place: Let ``read`` first try the event loop's thread for up to some milliseconds. For a
                service on SQLite; never for a window, which must not wait for a disk, or for a database
                behind a network.
        """
        self.engine = engine
        self.name = name
        is_shared = engine.dialect.name == "postgresql"
        self._calls = Calls(engine, name) if is_shared else None
        self._caller = Caller(engine, name) if is_shared else None
        self._on_commit: tuple[Callable[[], None], ...] = (self._caller.call,) if self._caller else ()
        self._committer = self._new_committer()
        self._second = self._new_committer() if is_shared else None
        self._snapshot = snapshot_options(engine)
        self._remembered: dict[Hashable, Any] = {}
        self._remembered_at: int | None = None
        self._in_place = InPlaceReader(engine) if reads_in_place else None
        self._shares = _Shares(_READERS // 2)
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix=f"reader {name}")

    async def read(self, work: Work[T], *, share: Hashable | None = None) -> T:
        """Run ``work`` in a read transaction. It may run twice, so it must only read.

        All work of one ``share``, such as an account, gets at most half of the reading threads, so that one
        account can't block the others.
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
        """Like ``read``, but cached under a key. For small values that are read often.

        The cache is valid until any process changes anything. If the database can't detect changes, the value
        is read each time.
        """
        version = self.version()
        if version is None:
            return await self.read(work)
        if version != self._remembered_at or len(self._remembered) >= _REMEMBERED_MAX:
            self._remembered, self._remembered_at = {}, version
        if what not in self._remembered:
            # Read after the version, so the value is as new, or newer and discarded next time.
            remembered, found = self._remembered, await self.read(work)
            remembered[what] = found
            return found
        return cast("T", self._remembered[what])

    def version(self) -> int | None:
        """Return a number that changes whenever any process changes anything.

        None if the database can't detect changes; callers then have to read.
        """
        return None if self._in_place is None else self._in_place.version()

    async def write(self, work: Work[T]) -> T:
        """Run ``work`` in a write transaction, which is durable on return.

        Cancelling the caller doesn't undo a write that has begun.
        """
        return await asyncio.wrap_future(self.submit(work))

    async def write_beside(self, work: Work[T]) -> T:
        """Like ``write``, but other writes don't wait for this one if the database has room for two writers.

        For long work that nobody waits for. It mustn't depend on the order of other writes.
        """
        if self._second is None:
            return await self.write(work)
        return await asyncio.wrap_future(self._second.submit(work))

    def submit(self, work: Work[T]) -> Future[T]:
        """Queue a write without waiting for it."""
        return self._committer.submit(work)

    def read_now(self, work: Work[T]) -> T:
        """Like ``read``, for callers without an event loop."""
        try:
            return self._read(work)
        except (DatabaseUnreachableError, DBAPIError) as error:
            # The server restarted since the last use of the connection, or a migration locked us out.
            if not (is_disconnect(error) or is_conflict(error)):
                raise
            return self._read(work)

    def _read(self, work: Work[T]) -> T:
        with translated(self.name), self.engine.connect() as plain:
            connection = plain.execution_options(**self._snapshot)
            with connection.begin():
                return work(connection)

    def write_now(self, work: Work[T]) -> T:
        """Like ``write``, for callers without an event loop."""
        return self.submit(work).result()

    def on_commit(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` after each commit of this process. Returns a function that stops this.

        It runs on a committing thread and must neither block nor raise.
        """
        self._on_commit += (listener,)

        def end() -> None:
            self._on_commit = tuple(one for one in self._on_commit if one is not listener)

        return end

    def on_call(self, subject: str, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` after any process has sent a notification about a subject.

        It runs on a separate thread and must neither block nor raise. Notifications can be lost, and some
        databases have none. Returns a function that stops this.
        """
        if self._calls is None:
            return lambda: None
        return self._calls.listen(subject, listener)

    def load(self) -> Load:
        """Return how busy the database is."""
        pool = self.engine.pool
        if not isinstance(pool, QueuePool):
            return Load(0, 0, self._committer.waiting)
        waiting = self._committer.waiting + (self._second.waiting if self._second else 0)
        return Load(pool.checkedout(), pool.size(), waiting)

    def _new_committer(self) -> Committer:
        before_commit = self._caller.collect if self._caller else None
        return Committer(self.engine, self.name, before_commit, self._tell_listeners)

    def _tell_listeners(self) -> None:
        for listener in self._on_commit:
            listener()

    def close(self) -> None:
        """Finish queued writes and close the database."""
        self._committer.close()
        if self._second is not None:
            self._second.close()
        self._readers.shutdown()
        if self._caller is not None:
            self._caller.close()
        if self._calls is not None:
            self._calls.close()
        if self._in_place is not None:
            self._in_place.close()
        self.engine.dispose()


class _Shares:
    """Limits concurrent turns per name, in the order of requests."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._busy: dict[Hashable, _Share] = {}

    def turn(self, name: Hashable | None) -> contextlib.AbstractAsyncContextManager[None]:
        """Hold a turn of ``name`` during the block. None doesn't wait."""
        if name is None:
            return contextlib.nullcontext()
        share = self._busy.get(name)
        if share is None:
            share = self._busy[name] = _Share(
                asyncio.Semaphore(self._most), lambda: self._busy.pop(name, None)
            )
        return share


# Not an asynccontextmanager: a read that a loop begins while it shuts down would leave its generator behind.
@dataclass(slots=True)
class _Share(contextlib.AbstractAsyncContextManager[None]):
    """The turns of one name, and the number of tasks that use or await them."""

    turns: asyncio.Semaphore
    forget: Callable[[], object]
    users: int = 0

    async def __aenter__(self) -> None:
        self.users += 1
        try:
            await self.turns.acquire()
        except BaseException:
            self._leave()
            raise

    async def __aexit__(self, *_error: object) -> None:
        self.turns.release()
        self._leave()

    def _leave(self) -> None:
        self.users -= 1
        if not self.users:
            self.forget()
