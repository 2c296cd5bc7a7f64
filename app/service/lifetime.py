"""Running and ending a process of the service."""

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Sequence
from datetime import timedelta
from functools import partial
from types import FrameType
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

import structlog

from app.children.replaced import program_file
from app.children.successor import successor

_log = structlog.get_logger(__name__)

LAST_MOMENT_S: Final = 1.7
"""With ``--exit-with-parent``, seconds from the end of stdin until the process is killed."""
_LONGEST_LINE: Final = 64 * 1024
_START: Final = timedelta(seconds=15)
"""No post may fall due while a new version starts, which is slow on a busy computer."""
_LONGEST_WAIT_S: Final = 300
"""Limit on waiting for such a pause, in s: much of the replaced program can't be loaded any more."""


if sys.platform == "win32":
    new_event_loop = asyncio.new_event_loop
else:
    from uvloop import new_event_loop

T = TypeVar("T")

_SWITCH_S: Final = 0.0005
"""Threads writing rows request the interpreter after each statement, and 5 ms each time delay posts."""
_COLLECT_AFTER: Final = (50_000, 20, 100)
"""By default, full collections of 100 ms each interrupt a burst of a thousand posts."""


def tune() -> None:
    """Keep threads and the garbage collector from blocking the event loop."""
    sys.setswitchinterval(_SWITCH_S)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine like ``asyncio.run``, on uvloop if available."""
    tune()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)


class Parent:
    """The program that started this one, at the other end of standard input."""

    def __init__(self) -> None:
        self._said = bytearray()

    def line(self) -> bytes | None:
        """Return its next line, without the line feed; None when it has ended. Blocking."""
        while b"\n" not in self._said:
            piece = os.read(sys.stdin.fileno(), 4096)
            if not piece:
                return None
            self._said += piece
            if len(self._said) > _LONGEST_LINE:
                self._said.clear()
        line, _, rest = bytes(self._said).partition(b"\n")
        self._said = bytearray(rest)
        return line


class Lifetime:
    """Combines all reasons to end into one event of the running loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._problem: Exception | None = None
        self.over = asyncio.Event()
        self._program = program_file()
        self.is_replaced = False
        """Whether it is ending because an upgrade replaced the running version."""

    def end_with(self, problem: Exception) -> None:
        """Shut down cleanly, and then raise this problem."""
        self._problem = problem
        self.over.set()

    def check(self) -> None:
        """Raise the problem that the program ended with, if any."""
        if self._problem is not None:
            raise self._problem

    def hand_over(self, *, alone: bool) -> None:
        """Start the version that replaced this one, unless a parent does. Calls ``check`` first."""
        self.check()
        if self.is_replaced and alone:
            successor.ask_for()

    async def unless_over(self, event: asyncio.Event) -> None:
        """Wait for an event, or until the program is about to end."""
        waits = [asyncio.create_task(each.wait()) for each in (event, self.over)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    def end_on_signals(self) -> None:
        """Shut down cleanly on SIGINT, SIGTERM, and Ctrl+Break on Windows."""
        names = ("SIGINT", "SIGTERM", "SIGBREAK")
        for number in (getattr(signal, name, None) for name in names):
            if number is not None:
                signal.signal(number, self._on_signal)

    def end_with_parent(self, parent: Parent, heard: Callable[[bytes], None]) -> None:
        """Shut down when stdin closes, which also happens if the parent is killed.

        ``heard`` is called on the event loop with every further line from the parent.
        """
        watch = partial(self._watch, parent, heard)
        threading.Thread(target=watch, name="parent watch", daemon=True).start()

    async def end_when_replaced(self, workers: Sequence["Worker"]) -> None:
        """Shut down cleanly between two posts after an upgrade has replaced the program's file."""
        if self._program is not None:
            await self._program.until_replaced()
            publishing = [worker for worker in workers if isinstance(worker, Publishing)]
            for _ in range(_LONGEST_WAIT_S):
                if all(worker.is_quiet(_START) for worker in publishing):
                    break
                await asyncio.sleep(1)
            if not self.over.is_set():
                _log.warning("a new version was installed; restarting")
                self.is_replaced = True
                self.over.set()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self.over.set)

    def _watch(self, parent: Parent, heard: Callable[[bytes], None]) -> None:
        while (line := parent.line()) is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(heard, line)
        # Everything acknowledged is durable, so a sudden end loses nothing.
        last_moment = threading.Timer(LAST_MOMENT_S, os._exit, (0,))
        last_moment.daemon = True
        last_moment.start()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._end()


class Worker(Protocol):
    """A background worker that runs as long as the program."""

    async def run(self) -> None:
        """Work until ``stop`` or until cancelled."""

    async def stop(self) -> None:
        """Start nothing new, and let work in progress finish for a moment."""


@runtime_checkable
class Publishing(Protocol):
    """A worker that the program only ends during a pause."""

    def is_quiet(self, span: timedelta) -> bool:
        """Whether nothing is being published, and nothing will be for ``span``."""


async def attend_until_over(workers: Sequence[Worker], lifetime: Lifetime) -> None:
    """Run workers until the program ends, then let work in progress finish for a moment."""
    async with asyncio.TaskGroup() as tasks:
        for worker in workers:
            tasks.create_task(worker.run())
        await lifetime.over.wait()
        await asyncio.gather(*(worker.stop() for worker in workers))


async def work_until_over(workers: Sequence[Worker], lifetime: Lifetime) -> None:
    """Like `attend_until_over`, and end the program between two posts when it's replaced.

    ``workers`` include all that publish.
    """
    async with asyncio.TaskGroup() as tasks:
        watch = tasks.create_task(lifetime.end_when_replaced(workers))
        await attend_until_over(workers, lifetime)
        watch.cancel()
