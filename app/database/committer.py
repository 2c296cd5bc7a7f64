"""Group commit: one thread writes, and whatever has piled up meanwhile shares one transaction.

A durable commit costs a disk flush whatever its size; grouped, the same flush serves hundreds of writers
(measured: 214 publications a second alone, 6,533 grouped).
"""

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from app.database.engines import WRITES
from app.database.errors import is_conflict, is_disconnect, is_duplicate, translated

T = TypeVar("T")
Work = Callable[[Connection], T]

_TRIES: Final = 8
_FIRST_PAUSE_S: Final = 0.01


@dataclass(slots=True, eq=False)
class _Piece(Generic[T]):
    """Work, who waits for it, and what it came to, which counts once it is committed."""

    work: Work[T]
    future: Future[T] = field(default_factory=Future)
    error: Exception | None = None
    _results: tuple[T, ...] = ()

    def perform(self, connection: Connection) -> None:
        """Does the work, perhaps not for the first time."""
        self.error = None
        self._results = (self.work(connection),)

    def tell(self) -> None:
        """Tells what the work came to."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(*self._results)


class Committer:
    """Runs work in order on one thread; each piece is atomic, and done means durable.

    Where other processes write to the same database, work that got in their way is done again; so it must do
    nothing but read and write rows.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self._pending: deque[_Piece[Any]] = deque()
        self._wake = threading.Condition()
        self.listeners: tuple[Callable[[], None], ...] = ()
        """Called on the committing thread after each commit; they must not block or raise."""
        self._closing = False
        self._committing = False
        self._thread: threading.Thread | None = None

    def submit(self, work: Work[T]) -> Future[T]:
        """Queues a write. The future fails with what the work raised, or with the commit's own failure."""
        piece = _Piece(work)
        with self._wake:
            if self._closing:
                raise RuntimeError(f"{self._name} is closed")
            self._pending.append(piece)
            if self._thread is None:  # most commands never write
                name = f"committer {self._name}"
                self._thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._thread.start()
            self._wake.notify()
        return piece.future

    def close(self) -> None:
        """Writes what is queued, then ends."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while self._write_next():
            pass

    def _write_next(self) -> bool:
        """Waits for a group and writes it, and keeps nothing of it; False when no more will come."""
        group = self._next_group()
        wanted = [piece for piece in group if piece.future.set_running_or_notify_cancel()]
        if wanted:
            self._write(wanted)
        return bool(group)

    def _next_group(self) -> list[_Piece[Any]]:
        with self._wake:
            while not self._pending and not self._closing:
                self._wake.wait()
            group = list(self._pending)
            self._pending.clear()
        return group

    def _write(self, group: Sequence[_Piece[Any]]) -> None:
        """Writes pieces together; one by one where together they were in another writer's way."""
        for tries in range(1, _TRIES + 1):
            try:
                return self._commit(group)
            except BaseException as error:  # noqa: BLE001  every waiting caller learns of it
                if tries == _TRIES or not self._may_be_done_again(error):
                    return _fail(group, error)
                if len(group) > 1 and is_conflict(error):
                    break
            time.sleep(random.uniform(0, _FIRST_PAUSE_S * 2**tries))  # noqa: S311  nothing secret in it
        for piece in group:
            self._write([piece])
        return None

    def _may_be_done_again(self, error: BaseException) -> bool:
        """Whether nothing was written for sure, and another time it may be."""
        return is_conflict(error) or (is_disconnect(error) and not self._committing)

    def _commit(self, group: Sequence[_Piece[Any]]) -> None:
        """Raises what the database has against the whole transaction; then nothing of it was written."""
        self._committing = False
        with translated(self._name), self._engine.connect() as plain:
            connection = plain.execution_options(**{WRITES: True})
            with connection.begin():
                for piece in group:
                    self._perform(connection, piece)
                self._committing = True
        for piece in group:
            piece.tell()
        for listener in self.listeners:
            listener()

    def _perform(self, connection: Connection, piece: _Piece[Any]) -> None:
        connection.exec_driver_sql("SAVEPOINT piece")
        try:
            with translated(self._name):
                self._perform_twice_at_most(connection, piece)
        except Exception as error:
            if self._may_be_done_again(error):
                raise
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT piece")
            piece.error = error  # it belongs to whoever submitted the work
        connection.exec_driver_sql("RELEASE SAVEPOINT piece")

    def _perform_twice_at_most(self, connection: Connection, piece: _Piece[Any]) -> None:
        """Work that looks before it inserts finds what another process has inserted meanwhile."""
        try:
            piece.perform(connection)
        except DBAPIError as error:
            if not is_duplicate(error):
                raise
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT piece")
            piece.perform(connection)


def _fail(group: Sequence[_Piece[Any]], error: BaseException) -> None:
    for piece in group:
        piece.future.set_exception(piece.error or error)
