"""The database of a simulated program: the same transactions, done in place, with failures on the way."""

import sqlite3
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NoReturn, TypeVar

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from app.database import Database, DatabaseUnreachableError, DiskFullError
from app.database.committer import Work
from app.database.errors import translated
from tests.simulation.faults import Fault, Faults, Kind, Site
from tests.simulation.lives import Life

T = TypeVar("T")

_STALL_S: Final = (5.0, 200.0)
_FAILING: Final = (Kind.DISK_FULL, Kind.READ_ONLY, Kind.LOST_COMMIT)
# Nobody else opens the file, so it needs neither locks nor a log for readers.
_ALONE: Final = "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=MEMORY"
_STATEMENTS: Final = 1_000
"""More than a world has. The driver parses those again that it doesn't keep, which takes longer than most."""

_OPENED: Final = list[sqlite3.Connection]()
_ENGINE: Final = create_engine("sqlite://", creator=_OPENED.pop, poolclass=NullPool)
"""For every world of this process, so that statements are compiled once. Connects to what was opened last."""

Functions = Mapping[str, Callable[..., float | None]]
"""What statements may call, by name."""


class _UndoneError(Exception):
    """Takes a transaction back on purpose."""


class Store:
    """A SQLite file in memory that everybody in a world shares: one connection, one transaction at a time.

    It takes no time to write, and nothing of it is lost: programs die between transactions, or in one, which
    is taken back then.

    Attributes:
        version: How often something was changed.
    """

    def __init__(
        self,
        path: Path,
        more: str = "",
        functions: Functions = MappingProxyType({}),
        told: Callable[..., None] | None = None,
    ) -> None:
        """``more`` are statements that add to the schema, ``functions`` what they may call.

        ``told`` gets what they pass to ``tell``, once the transaction is committed.
        """
        # Not the product's engine, whose listeners take a while at every statement and do nothing here.
        raw = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS
        )
        for name, function in functions.items():
            raw.create_function(name, -1, function)
        self._told, self._telling = told, list[tuple[Any, ...]]()
        raw.create_function("tell", -1, lambda *values: self._telling.append(values))
        raw.executescript(f"PRAGMA foreign_keys=ON; {_ALONE}; {more}")
        _OPENED.append(raw)
        self.engine = _ENGINE
        self.version = 0
        self._raw = raw
        self._connection = self.engine.connect()

    def run(self, work: Work[T]) -> T:
        """What ``work`` gives, in a transaction."""
        before = self._raw.total_changes
        self._telling.clear()
        # By the driver, since SQLAlchemy takes several times as long to begin and commit.
        self._raw.execute("BEGIN IMMEDIATE")
        try:
            result = work(self._connection)
        except BaseException:
            self._raw.execute("ROLLBACK")
            raise
        self._raw.execute("COMMIT")
        self.version += self._raw.total_changes != before
        telling, self._telling[:] = [*self._telling], []
        for values in telling:
            assert self._told is not None
            self._told(*values)
        return result

    def read(self, work: Work[T]) -> T:
        """What ``work`` gives, which changes nothing: nobody could notice that it has no transaction."""
        return work(self._connection)

    def ask(self, query: str, *values: object) -> list[Any]:
        """What a query of the world itself finds."""
        return self._raw.execute(query, values).fetchall()

    def copy(self) -> sqlite3.Connection:
        """A copy of everything, in memory."""
        copy = sqlite3.connect(":memory:")
        self._raw.backup(copy)
        return copy

    def put_back(self, copy: sqlite3.Connection) -> None:
        """Replaces everything by what a copy has. Nobody may use the store meanwhile."""
        copy.backup(self._raw)
        self.version += 1

    def close(self) -> None:
        self._connection.close()


class SimulatedDatabase(Database):
    """One program's way to the store.

    Args:
        store: Where the rows are.
        life: The program.
        faults: What goes wrong.
        note: Takes what happened into the trace.
        is_server: Answers to commits can be lost.
    """

    def __init__(
        self, store: Store, life: Life, faults: Faults, note: Callable[..., None], *, is_server: bool
    ) -> None:
        super().__init__(store.engine, "the store")
        self._store = store
        self._life = life
        self._faults = faults
        self._note = note
        self._is_server = is_server

    async def read(self, work: Work[T], *, share: Hashable | None = None) -> T:
        del share
        await self._life.passes()
        with translated(self.name):
            return self._store.read(work)

    async def write(self, work: Work[T]) -> T:
        await self._life.passes()
        fault = self._faults.at(Site.WRITE)
        if fault is None:
            result = self._commit(work)
        else:
            self._note(self._life.name, fault.kind)
            if fault.kind in _FAILING:
                self._life.cannot_write()
            result = self._spoilt(work, fault)
        await self._life.passes()
        return result

    def version(self) -> int | None:
        """As SQLite tells it; a server doesn't."""
        return None if self._is_server else self._store.version

    def read_now(self, work: Work[T]) -> T:
        """Without an event loop, as at a start; nothing goes wrong."""
        return self._commit(work)

    def write_now(self, work: Work[T]) -> T:
        return self._commit(work)

    def submit(self, work: Work[T]) -> Future[T]:
        """Only ``write`` is simulated."""
        raise RuntimeError(f"{work} was handed to a thread")

    def _spoilt(self, work: Work[T], fault: Fault) -> T:
        match fault.kind:
            case Kind.DIE_BEFORE_WRITE:
                self._life.perish()
            case Kind.DIE_IN_WRITE:
                self._undo(work)
                self._life.perish()
            case Kind.DISK_FULL:
                self._undo(work)
                raise DiskFullError("The disk is full.")
            case Kind.READ_ONLY:
                self._refuse()
            case Kind.CONFLICT:
                self._undo(work)
        result = self._commit(work)
        match fault.kind:
            case Kind.DIE_AFTER_WRITE:
                self._life.perish()
            case Kind.LOST_COMMIT if self._is_server:
                raise DatabaseUnreachableError("The server went away.")
            case Kind.STALL_IN_WRITE:
                self._life.stand_still(fault.between(*_STALL_S))
        return result

    def _commit(self, work: Work[T]) -> T:
        with translated(self.name):
            return self._store.run(work)

    def _undo(self, work: Callable[[Connection], object]) -> None:
        def and_back(connection: Connection) -> NoReturn:
            work(connection)
            raise _UndoneError

        try:
            self._commit(and_back)
        except _UndoneError:
            return

    def _refuse(self) -> NoReturn:
        words = sqlite3.OperationalError("attempt to write a readonly database")
        with translated(self.name):
            raise OperationalError(None, None, words)
