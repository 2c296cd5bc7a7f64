"""Notifications between the processes on one PostgreSQL database: listening and sending.

A notification (NOTIFY on the channel ``kalends``) only names its subject. It can be lost while the server is
unavailable, so listeners also have to poll occasionally.
"""

import threading
from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

import structlog
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

_log = structlog.get_logger(__name__)

_LOOK_EVERY_S: Final = 30.0
"""Interval for checking whether the listening connection still works, in s."""
_AGAIN_AFTER_S: Final = 1.0
_PATIENCE_S: Final = 2.0

Listener = Callable[[], None]
"""Called on the listening thread. Must neither block nor raise."""


class Calls:
    """Listens with its own connection and thread, started with the first listener."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._goodbye = uuid4().hex
        self._listeners: dict[str, tuple[Listener, ...]] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"calls {name}", daemon=True)

    def listen(self, subject: str, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` after each notification about a subject. Returns a function that stops this."""
        self._listeners[subject] = (*self._listeners.get(subject, ()), listener)
        if not self._thread.is_alive():
            self._thread.start()

        def end() -> None:
            self._listeners[subject] = tuple(one for one in self._listeners[subject] if one is not listener)

        return end

    def close(self) -> None:
        """Stop listening, without waiting for an unavailable server."""
        self._closing.set()
        if not self._thread.is_alive():
            return
        try:
            with self._engine.begin() as connection:
                connection.execute(text("SELECT pg_notify('kalends', :goodbye)"), {"goodbye": self._goodbye})
        except DBAPIError:
            return  # the thread has nothing to do either, and ends with the program
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._listen_forever()
            except Exception as error:  # noqa: BLE001  psycopg's errors, without importing it
                _log.info(
                    "notifications of other processes can't be received; trying again",
                    reason=type(error).__name__,
                )
                self._closing.wait(_AGAIN_AFTER_S)

    def _listen_forever(self) -> None:
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.detach()  # not back to the pool, where it would keep listening
            connection.exec_driver_sql("LISTEN kalends")
            driver: Any = connection.connection.driver_connection
            self._call(*self._listeners)  # earlier notifications may have been lost
            while not self._closing.is_set():
                for heard in driver.notifies(timeout=_LOOK_EVERY_S, stop_after=1):
                    self._call(heard.payload)
                connection.exec_driver_sql("SELECT 1")

    def _call(self, *subjects: str) -> None:
        for subject in subjects:
            for listener in self._listeners.get(subject, ()):
                listener()


_ALWAYS: Final = "changes"
"""Subject of every call: almost every commit changes something that is shown."""
_APART_S: Final = 0.02
"""Minimum time between two calls of a process, in s, so that commits in quick succession share one."""
_COLLECTED: Final = text("SELECT current_setting('kalends.calls', true)")
_SEND: Final = text("SELECT pg_notify('kalends', subject) FROM unnest(CAST(:subjects AS text[])) AS subject")


class Caller:
    """Notifies other processes after commits, on its own thread, started with the first commit.

    Not in the transaction: PostgreSQL lets transactions that notify commit only one after the other.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._collected = threading.local()
        self._subjects: set[str] = set()
        self._lock = threading.Lock()
        self._committed = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"caller {name}", daemon=True)

    def collect(self, connection: Connection) -> None:
        """Take the subjects that triggers recorded in a transaction that this thread is about to commit."""
        self._collected.subjects = (connection.scalar(_COLLECTED) or "").split()

    def call(self) -> None:
        """Notify of the transaction, which this thread has committed. Doesn't block."""
        with self._lock:
            self._subjects |= {_ALWAYS, *self._collected.subjects}
            if self._thread.ident is None and not self._closing.is_set():
                self._thread.start()
        self._committed.set()

    def close(self) -> None:
        """Send what is left, without waiting for an unavailable server."""
        self._closing.set()
        self._committed.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            self._committed.wait()
            self._send()
            self._closing.wait(_APART_S)
        self._send()

    def _send(self) -> None:
        self._committed.clear()
        with self._lock:
            subjects, self._subjects = sorted(self._subjects), set()
        if not subjects:
            return
        try:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                try:
                    connection.execute(_SEND, {"subjects": subjects})
                finally:
                    # ``close`` doesn't wait for long, and nobody closes what returns to the pool afterwards.
                    if self._closing.is_set() and not connection.invalidated:
                        connection.detach()
        except Exception as error:  # noqa: BLE001  no connection is left, or psycopg's errors, as above
            _log.info("other processes can't be notified; they poll", reason=type(error).__name__)
