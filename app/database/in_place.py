"""Short reads on the event loop's thread, when switching threads would take longer.

An indexed lookup in SQLite takes some hundredths of a millisecond. A round trip to a thread takes several
times that, and far more if two threads compete for the GIL.
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
            self._driver.execute("BEGIN")
            self._until = time.perf_counter() + _LONGEST_S
            try:
                return work(self._connection)
            finally:
                self._until = math.inf  # only abort the work itself
                self._driver.execute("ROLLBACK")
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
                raise TakesTooLongError from error
            raise
        finally:
            self._lock.release()

    def version(self) -> int | None:
        """Number that changes with every commit of any process; None while another thread reads here."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            version: int = self._driver.execute("PRAGMA data_version").fetchone()[0]
            return version
        finally:
            self._lock.release()

    def close(self) -> None:
        """Return the connection."""
        with self._lock:
            self._connection.close()

    def _is_over_time(self) -> bool:
        return time.perf_counter() > self._until
