"""Calls between the processes on one PostgreSQL database, so that who listens need not ask again and again.

A call (NOTIFY on the channel ``kalends``) names what there is to look at, and no more. It may be lost while
the server is away, so whoever waits for calls also looks by itself now and then.
"""

import threading
from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

import structlog
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

_log = structlog.get_logger(__name__)

_LOOK_EVERY_S: Final = 30.0
"""How long a connection is listened to before it is tried whether it still stands."""
_AGAIN_AFTER_S: Final = 1.0
_PATIENCE_S: Final = 2.0

Listener = Callable[[], None]
"""Called on the listening thread; it must neither block nor raise."""


class Calls:
    """Listens on a connection and a thread of its own, from the first listener on."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._goodbye = uuid4().hex
        self._listeners: dict[str, tuple[Listener, ...]] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"calls {name}", daemon=True)

    def listen(self, subject: str, listener: Listener) -> Callable[[], None]:
        """Has ``listener`` called after each call about a subject, until the function it gives is called."""
        self._listeners[subject] = (*self._listeners.get(subject, ()), listener)
        if not self._thread.is_alive():
            self._thread.start()

        def end() -> None:
            self._listeners[subject] = tuple(one for one in self._listeners[subject] if one is not listener)

        return end

    def close(self) -> None:
        """Listens no longer. Does not wait for a server that is away."""
        self._closing.set()
        if not self._thread.is_alive():
            return
        try:
            with self._engine.begin() as connection:
                connection.execute(text("SELECT pg_notify('kalends', :goodbye)"), {"goodbye": self._goodbye})
        except DBAPIError:
            return  # then the thread has nothing to hear either, and ends with the program
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._listen_for_ever()
            except Exception as error:  # noqa: BLE001  psycopg's errors, in a room that does not import it
                _log.info("calls of other processes are not heard; trying again", reason=type(error).__name__)
                self._closing.wait(_AGAIN_AFTER_S)

    def _listen_for_ever(self) -> None:
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("LISTEN kalends")
            driver: Any = connection.connection.driver_connection
            connection.detach()  # never given back to the pool, where it would go on listening
            self._call(*self._listeners)  # what was said before is unknown
            while not self._closing.is_set():
                for heard in driver.notifies(timeout=_LOOK_EVERY_S, stop_after=1):
                    self._call(heard.payload)
                connection.exec_driver_sql("SELECT 1")

    def _call(self, *subjects: str) -> None:
        for subject in subjects:
            for listener in self._listeners.get(subject, ()):
                listener()
