"""Threads of simulated programs: one runs at a time, and only while the loop waits for it."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Final, TypeVar, TypeVarTuple

from tests.simulation.lives import DeathError
from tests.simulation.loop import SimulatedLoop

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class BlockedLoopError(SystemExit):
    """Work that waits was done on the event loop. A task passes this on, so it ends the run."""


class ThreadedLoop(SimulatedLoop):
    """Work for threads is begun in place and may pause; meanwhile everything else goes on."""

    def __init__(self) -> None:
        super().__init__()
        self._paused: list[_Thread] = []

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        del executor
        thread = _Thread(self, lambda: func(*args))
        thread.start()
        self._paused.append(thread)
        self._go_on(thread)
        return thread.done

    def end_threads(self) -> None:
        """Ends those that still pause; what they would do has no effect."""
        for thread in list(self._paused):
            thread.is_ending = True
            while thread in self._paused:
                self._go_on(thread)

    def _go_on(self, thread: "_Thread") -> None:
        """Lets a thread run until it pauses or has ended."""
        if thread not in self._paused:
            return
        if thread.step():
            self._paused.remove(thread)
        elif not thread.is_ending:
            self.call_later(thread.pause_s, self._go_on, thread)


class _Thread(threading.Thread):
    """One piece of work, and the future of its result."""

    def __init__(self, loop: SimulatedLoop, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.done: Final[asyncio.Future[Any]] = loop.create_future()
        self._loop = loop
        self.pause_s = 0.0
        self._is_over = False
        self.is_ending = False
        self._work = work
        self._result: Any = None
        self._error: BaseException | None = None
        self._may_run, self._has_stopped = threading.Semaphore(0), threading.Semaphore(0)

    def step(self) -> bool:
        """Has it run until it pauses or has ended; says which. For the loop's thread."""
        self._may_run.release()
        self._has_stopped.acquire()
        if not self._is_over:
            return False
        self.join()
        if not self.done.done():
            if self._error is not None:
                self.done.set_exception(self._error)
            else:
                self.done.set_result(self._result)
        return True

    def run(self) -> None:
        self._may_run.acquire()
        asyncio._set_running_loop(self._loop)
        try:
            self._result = self._work()
        except BaseException as error:  # noqa: BLE001  the waiting caller gets it
            self._error = error
        self._is_over = True
        self._has_stopped.release()

    def pause(self, seconds: float) -> None:
        """Lets the loop go on for so long. For this thread."""
        if not self.is_ending:
            self.pause_s = seconds
            self._has_stopped.release()
            self._may_run.acquire()
        if self.is_ending:
            raise DeathError


def pause(seconds: float) -> None:
    """Makes the present thread wait. Ends the run on the loop's own, where nothing else would go on."""
    thread = threading.current_thread()
    if not isinstance(thread, _Thread):
        raise BlockedLoopError("work for threads was done on the event loop")
    thread.pause(seconds)
