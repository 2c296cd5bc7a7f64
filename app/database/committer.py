"""Group commit: one thread writes, and everything queued meanwhile shares one transaction.

A durable commit costs one disk flush, whatever its size. Grouped, the same flush serves hundreds of writers
(measured: 214 publications per second individually, 6,533 grouped).
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

from app.database.dialects import WRITES
from app.database.errors import is_conflict, is_disconnect, is_locked_out, is_overtaken, translated

T = TypeVar("T")
Work = Callable[[Connection], T]

_TRIES: Final = 8
_FIRST_PAUSE_S: Final = 0.01

_LOCK_WAIT_S: Final = 0.5
"""How long a write waits for rows that another session has locked before others go first, in s."""
_LOCK_WAIT_AGAIN_S: Final = 0.1
"""The same for later tries."""
_LOCK_WAIT_IN_PASSING_S: Final = 0.01
"""The same before new writes, and for the rest of a transaction in which a write has waited in vain."""
_LOCKED_PAUSE_S: Final = 0.3
"""Pause before a write that was locked out is tried again, in s, before jitter."""
_LOCKED_MAX_S: Final = 10.0
"""How long such a write is tried again before it fails, in s.

Shorter than clients wait, who would otherwise write something else that this write then changes back.
"""


@dataclass(slots=True, eq=False)
class _Piece(Generic[T]):
    """A unit of work with its future, which is resolved after the commit."""

    work: Work[T]
    future: Future[T] = field(default_factory=Future)
    error: Exception | None = None
    locked_since: float | None = None
    _results: tuple[T, ...] = ()

    def perform(self, connection: Connection) -> None:
        """Run the work, possibly again."""
        self.error = None
        self._results = (self.work(connection),)

    def tell(self) -> None:
        """Resolve the future with the result."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(*self._results)


class Committer:
    """Runs work in order on one thread. Each unit is atomic, and durable when its future is done.

    If other processes write to the same database, work that conflicted with theirs runs again, so it must
    only read and write rows. Work that needs a row that another session has locked lets later work go first.
    """

    def __init__(
        self,
        engine: Engine,
        name: str,
        before_commit: Callable[[Connection], None] | None = None,
        after_commit: Callable[[], None] | None = None,
    ) -> None:
        """Create a committer; its thread starts with the first write.

        Args:
            engine: Engine of the database.
            name: What error messages call the database.
            before_commit: Called in each transaction, after its work.
            after_commit: Called on the committing thread after each commit. Must neither block nor raise.
        """
        self._before_commit = before_commit
        self._after_commit = after_commit
        self._engine = engine
        self._name = name
        self._has_row_locks = engine.dialect.name == "postgresql"
        self._pending: deque[_Piece[Any]] = deque()
        self._locked_out: list[_Piece[Any]] = []
        self._try_at = 0.0
        """When to try writes that were locked out again if there are no new ones before."""
        self._wake = threading.Condition()
        self._closing = False
        self._committing = False
        self._thread: threading.Thread | None = None

    def submit(self, work: Work[T]) -> Future[T]:
        """Queue a write. The future fails with the error of the work, or of the commit."""
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

    @property
    def waiting(self) -> int:
        """Number of writes that wait for the next commit."""
        return len(self._pending)

    def close(self) -> None:
        """Write everything queued, then stop."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while self._write_next():
            pass

    def _write_next(self) -> bool:
        """Wait for writes, write and release them; False when there won't be any more."""
        group, again, are_due = self._next_groups()
        # First, because they're older: a new write may be about the same row.
        if again:
            self._write(again, _LOCK_WAIT_AGAIN_S if are_due else _LOCK_WAIT_IN_PASSING_S)
        if wanted := [piece for piece in group if piece.future.set_running_or_notify_cancel()]:
            self._write(wanted)
        return bool(group or again)

    def _next_groups(self) -> tuple[list[_Piece[Any]], list[_Piece[Any]], bool]:
        """Wait for new writes, or until others are due again; return both, and whether the latter are due."""
        with self._wake:
            while not (self._pending or (self._closing and not self._locked_out)):
                pause = self._try_at - time.monotonic() if self._locked_out else None
                if pause is not None and pause <= 0:
                    break
                self._wake.wait(pause)
            group = list(self._pending)
            self._pending.clear()
        again, self._locked_out = self._locked_out, []
        return group, again, time.monotonic() >= self._try_at

    def _write(self, group: Sequence[_Piece[Any]], longest_wait_s: float = _LOCK_WAIT_S) -> None:
        """Write units together, or one by one if they conflicted with another writer."""
        for tries in range(1, _TRIES + 1):
            try:
                return self._commit(group, longest_wait_s)
            except BaseException as error:  # noqa: BLE001  passed to every waiting caller
                if len(group) == 1 and isinstance(error, DBAPIError) and is_locked_out(error):
                    return self._try_later(group[0], error)
                runs_again = tries == 1 and is_overtaken(error)
                if tries == _TRIES or not (runs_again or self._may_retry(error)):
                    return _fail(group, error)
                if len(group) > 1 and is_conflict(error):
                    break
            time.sleep(random.uniform(0, _FIRST_PAUSE_S * 2**tries))  # noqa: S311  jitter
        for piece in group:
            self._write([piece], longest_wait_s)
        return None

    def _try_later(self, piece: _Piece[Any], error: Exception) -> None:
        """Try a unit that was locked out again after others, or fail it."""
        now = time.monotonic()
        if piece.locked_since is None:
            piece.locked_since = now
        if now - piece.locked_since >= _LOCKED_MAX_S:
            piece.future.set_exception(error)
            return
        if now >= self._try_at:
            self._try_at = now + random.uniform(0.5, 1) * _LOCKED_PAUSE_S  # noqa: S311  jitter
        self._locked_out.append(piece)

    def _may_retry(self, error: BaseException) -> bool:
        """Whether certainly nothing was written, and a retry may succeed, also after several tries."""
        return is_conflict(error) or (is_disconnect(error) and not self._committing)

    def _commit(self, group: Sequence[_Piece[Any]], longest_wait_s: float) -> None:
        """Commit a group. Raises if the whole transaction failed; nothing was written then."""
        self._committing = False
        with translated(self._name), self._engine.connect() as plain:
            connection = plain.execution_options(**{WRITES: True})
            with connection.begin():
                self._limit_waits(connection, longest_wait_s)
                if len(group) == 1:  # rolling back the transaction has the same effect as a savepoint
                    group[0].perform(connection)
                else:
                    for piece in group:
                        self._perform(connection, piece)
                if self._before_commit is not None:
                    self._before_commit(connection)
                self._committing = True
        for piece in group:
            if piece.error is not None and is_locked_out(piece.error):
                self._try_later(piece, piece.error)
            else:
                piece.tell()
        if self._after_commit is not None:
            self._after_commit()

    def _limit_waits(self, connection: Connection, longest_s: float) -> None:
        """Limit how long each statement of a transaction waits for rows that other sessions have locked.

        A session may keep its locks long after its process was cut off, and everything else waits meanwhile.
        """
        if self._has_row_locks:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(longest_s * 1000)}")

    def _perform(self, connection: Connection, piece: _Piece[Any]) -> None:
        connection.exec_driver_sql("SAVEPOINT piece")
        try:
            with translated(self._name):
                self._perform_with_retry(connection, piece)
        except Exception as error:
            if self._may_retry(error) and not is_locked_out(error):
                raise
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT piece")
            if is_locked_out(error):
                self._limit_waits(connection, _LOCK_WAIT_IN_PASSING_S)
            piece.error = error  # raised for the caller that submitted the work
        connection.exec_driver_sql("RELEASE SAVEPOINT piece")

    def _perform_with_retry(self, connection: Connection, piece: _Piece[Any]) -> None:
        """Run a unit again if another process inserted or deleted a row in between that it depends on."""
        try:
            piece.perform(connection)
        except DBAPIError as error:
            if not is_overtaken(error):
                raise
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT piece")
            piece.perform(connection)


def _fail(group: Sequence[_Piece[Any]], error: BaseException) -> None:
    """Fail every unit with the error of the transaction.

    Also those that had failed themselves: what they found, such as a missing row, may have been the doing of
    others in the same transaction.
    """
    for piece in group:
        if not piece.future.done():  # what runs after the commit may have failed
            piece.future.set_exception(error)
