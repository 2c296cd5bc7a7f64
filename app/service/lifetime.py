"""When the program ends: by a signal, because whoever started it has gone, or with a problem."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Final, Protocol

LAST_MOMENT_S: Final = 1.7
"""With ``--exit-with-parent``, how long after stdin closes the process is gone whatever happens."""


class Lifetime:
    """Turns every reason to end into one event of the running loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._problem: Exception | None = None
        self.over = asyncio.Event()

    def end_with(self, problem: Exception) -> None:
        """Ends the program in good order, and then with this problem."""
        self._problem = problem
        self.over.set()

    def check(self) -> None:
        """Raises the problem that the program ends with, if there is one."""
        if self._problem is not None:
            raise self._problem

    def end_on_signals(self) -> None:
        """SIGINT and SIGTERM (and Ctrl+Break on Windows) end the program in good order."""
        names = ("SIGINT", "SIGTERM", "SIGBREAK")
        for number in (getattr(signal, name, None) for name in names):
            if number is not None:
                signal.signal(number, self._on_signal)

    def end_with_parent(self) -> None:
        """Ends when stdin closes, which also happens when the parent is killed."""
        threading.Thread(target=self._watch_stdin, name="parent watch", daemon=True).start()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self.over.set)

    def _watch_stdin(self) -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        # Everything acknowledged is durable, so that a sudden end loses nothing.
        last_moment = threading.Timer(LAST_MOMENT_S, os._exit, (0,))
        last_moment.daemon = True
        last_moment.start()
        self._end()


class Worker(Protocol):
    """Something that works in the background for as long as the program runs."""

    async def run(self) -> None:
        """Works until ``stop``, or until it is cancelled."""

    async def stop(self) -> None:
        """Takes up nothing new and lets what is under way finish for a moment."""


async def work_until_over(workers: Sequence[Worker], lifetime: Lifetime) -> None:
    """Has the workers work until the program is to end, and what is under way finish for a moment."""
    async with asyncio.TaskGroup() as tasks:
        for worker in workers:
            tasks.create_task(worker.run())
        await lifetime.over.wait()
        await asyncio.gather(*(worker.stop() for worker in workers))
