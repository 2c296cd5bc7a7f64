"""Hearing at once of what other processes made due, in place of the next look at the database."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping

from app.database import Database


class CallWorker:
    """Wakes parts of this process when another one calls them."""

    def __init__(self, database: Database, called: Mapping[str, Callable[[], None]]) -> None:
        """``called`` has what to do on the event loop, by the subject of the call."""
        self._database = database
        self._called = called
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Listens until ``stop``."""
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as ends:
            for subject, wake in self._called.items():
                ends.callback(self._database.on_call(subject, _on_loop(loop, wake)))
            await self._stopped.wait()

    async def stop(self) -> None:
        self._stopped.set()


def _on_loop(loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> Callable[[], None]:
    def call() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and there is nobody to wake
            loop.call_soon_threadsafe(wake)

    return call
