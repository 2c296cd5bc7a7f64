"""Reading in place: on the thread of the event loop, as long as that takes less than changing threads would.

A look-up on an index takes some hundredths of a millisecond in SQLite; handing it to a thread and back costs
several times that, and two threads that take turns at Python's lock cost far more.
"""

import math
import sqlite3
import threading
import time
from typing import Any, Final, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from app.database.committer import Work
from app.database.engines import OWN_TRANSACTIONS

T = TypeVar("T")

_LONGEST_S: Final = 0.005
_STEPS_BETWEEN_LOOKS: Final = 5_000


class TakesTooLongError(Exception):
    """The work was given up, since it would hold up everything else; it belongs in a thread."""


class InPlaceReader:
    """A connection of its own that only reads, one piece of work at a time."""

    def __init__(self, engine: Engine) -> None:
        """Takes a connection of the engine's pool for good. SQLite only."""
        self._connection = engine.connect().execution_options(**{OWN_TRANSACTIONS: True})
        driver: Any = self._connection.connection.driver_connection
        self._driver: sqlite3.Connection = driver
        self._driver.execute("PRAGMA query_only = ON")
        self._driver.set_progress_handler(self._is_over_time, _STEPS_BETWEEN_LOOKS)
        self._lock = threading.Lock()
        self._until = math.inf

    def read(self, work: Work[T]) -> T:
        """Runs ``work`` in a read transaction. Raises TakesTooLongError, then nothing has come of it."""
        if not self._lock.acquire(blocking=False):
            raise TakesTooLongError
        try:
            self._driver.execute("BEGIN")
            self._until = time.perf_counter() + _LONGEST_S
            try:
                return work(self._connection)
            finally:
                self._until = math.inf  # nothing but the work is ever given up
                self._driver.execute("ROLLBACK")
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
                raise TakesTooLongError from error
            raise
        finally:
            self._lock.release()

    def version(self) -> int | None:
        """Changes whenever anybody has committed a change; None while another thread reads here."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            version: int = self._driver.execute("PRAGMA data_version").fetchone()[0]
            return version
        finally:
            self._lock.release()

    def close(self) -> None:
        """Gives the connection back."""
        with self._lock:
            self._connection.close()

    def _is_over_time(self) -> bool:
        return time.perf_counter() > self._until
