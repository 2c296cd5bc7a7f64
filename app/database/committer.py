"""Group commit: one thread writes, and whatever has piled up meanwhile shares one transaction.

A durable commit costs a disk flush whatever its size; grouped, the same flush serves hundreds of writers
(measured: 214 publications a second alone, 6,533 grouped).
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from app.database.engines import WRITES
from app.database.errors import translated

T = TypeVar("T")
Work = Callable[[Connection], T]


class Committer:
    """Runs work in order on one thread; each piece is atomic, and done means durable."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self._pending: deque[tuple[Work[Any], Future[Any]]] = deque()
        self._wake = threading.Condition()
        self.listeners: tuple[Callable[[], None], ...] = ()
        """Called on the committing thread after each commit; they must not block or raise."""
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=f"committer {name}", daemon=True)
        self._thread.start()

    def submit(self, work: Work[T]) -> Future[T]:
        """Queues a write. The future fails with what the work raised, or with the commit's own failure."""
        future: Future[T] = Future()
        with self._wake:
            if self._closing:
                raise RuntimeError(f"{self._name} is closed")
            self._pending.append((work, future))
            self._wake.notify()
        return future

    def close(self) -> None:
        """Writes what is queued, then ends."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        while group := self._next_group():
            self._commit(group)

    def _next_group(self) -> list[tuple[Work[Any], Future[Any]]]:
        with self._wake:
            while not self._pending and not self._closing:
                self._wake.wait()
            group = list(self._pending)
            self._pending.clear()
        return group

    def _commit(self, group: list[tuple[Work[Any], Future[Any]]]) -> None:
        done: list[tuple[Future[Any], Any]] = []
        try:
            with translated(self._name), self._engine.connect() as plain:
                connection = plain.execution_options(**{WRITES: True})
                with connection.begin():
                    for work, future in group:
                        self._perform(connection, work, future, done)
        except BaseException as error:  # noqa: BLE001  every waiting caller learns of it
            for _, future in group:
                if not future.done():
                    future.set_exception(error)
            return
        for future, result in done:
            future.set_result(result)
        for listener in self.listeners:
            listener()

    def _perform(
        self,
        connection: Connection,
        work: Work[Any],
        future: Future[Any],
        done: list[tuple[Future[Any], Any]],
    ) -> None:
        if not future.set_running_or_notify_cancel():
            return
        connection.exec_driver_sql("SAVEPOINT piece")
        try:
            with translated(self._name):
                result = work(connection)
        except Exception as error:  # noqa: BLE001  it belongs to whoever submitted the work
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT piece")
            connection.exec_driver_sql("RELEASE SAVEPOINT piece")
            future.set_exception(error)
        else:
            connection.exec_driver_sql("RELEASE SAVEPOINT piece")
            done.append((future, result))
