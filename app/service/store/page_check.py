"""A check of a whole database file for damage."""

import threading
from sqlite3 import Connection as DriverConnection
from typing import NoReturn

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from app.database import Database, DatabaseDamagedError

_log = structlog.get_logger(__name__)

_SOUND = "ok"


class PageCheck:
    """Reads every page of the database. Takes as long as reading the file, and can be stopped."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._reading: DriverConnection | None = None
        self._stopped = False

    def run(self) -> None:
        """Return if the file is sound or the check was stopped. Skips database servers. Blocking.

        Raises DatabaseDamagedError, or another DatabaseError if the file can't be read.
        """
        if self._database.engine.dialect.name != "sqlite":
            return
        try:
            verdict = self._database.read_now(self._look)
        except OperationalError:
            if not self._stopped:
                raise
        else:
            if verdict != _SOUND and not self._stopped:
                self._complain(verdict)

    def stop(self) -> None:
        """Stop the check, even before it starts. Thread-safe."""
        with self._lock:
            self._stopped = True
            if self._reading is not None:
                self._reading.interrupt()

    def _look(self, connection: Connection) -> str:
        with self._lock:
            if self._stopped:
                return _SOUND
            self._reading = connection.connection.driver_connection
        try:
            return str(connection.scalar(text("PRAGMA quick_check(1)")))
        finally:
            with self._lock:
                self._reading = None

    def _complain(self, finding: str) -> NoReturn:
        _log.error("the database is damaged", finding=finding)
        raise DatabaseDamagedError(
            f"{self._database.name} is damaged. Restore it from a backup, and keep the damaged file "
            "until then. Uploaded files are kept."
        )
