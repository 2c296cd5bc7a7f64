"""An event loop that never waits: when nothing is ready, its clock jumps to the next timer."""

import asyncio
import gc
import selectors
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final, Protocol, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


_MOST_TURNS: Final = 1_000_000
"""Maximum number of turns of the loop at the same moment."""
_ROUNDING_S: Final = 1e-6


class Owner(Protocol):
    """A program, whose timers a ``FreezingLoop`` never ends while it stands still."""

    is_dead: bool

    @property
    def still_for(self) -> float:
        """For how many seconds it still stands still; zero or less while it goes on."""

    def steady(self) -> float:
        """Seconds on the program's steady clock."""

    def has(self, task: asyncio.Task[Any]) -> None:
        """Take a task that the program began."""


owner: Final[ContextVar[Owner | None]] = ContextVar("owner", default=None)
"""Whose tasks and timers begin here; None for the world's own."""


class StandstillError(Exception):
    """Time stands still: everybody waits for somebody else, or something is ready again and again."""


class _Jumping(selectors.SelectSelector):
    """Looks at no file: instead of waiting it puts the clock forward."""

    def __init__(self) -> None:
        super().__init__()
        self.moment = 0.0
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._turns = 0 if timeout else self._turns + 1
        if timeout is None or self._turns > _MOST_TURNS:
            self._turns = 0  # for the end of what is left
            raise StandstillError
        self.moment += max(timeout, 0.0)
        return []


class SimulatedLoop(asyncio.SelectorEventLoop):
    """One thread, no real time: ``time`` begins at zero, and work for threads is done in place."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        self._only_thread = threading.get_ident()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.moment

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        del executor
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except StopIteration:
            raise
        except BaseException as error:  # noqa: BLE001  the waiting caller gets it, as from a thread
            done.set_exception(error)
        return done

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Other threads would make runs differ."""
        if threading.get_ident() != self._only_thread:
            raise RuntimeError("a thread was used in a simulation")
        return self.call_soon(callback, *args, context=context)


class _FrozenTimer:
    """Ends when the steady clock of the program that began it says so.

    No function inside ``call_at``: one that begins itself again, and knows its handle, is in a cycle, and
    collecting those takes a tenth of a run.
    """

    __slots__ = ("args", "callback", "context", "due", "handle", "loop", "program")

    def __init__(
        self,
        loop: "FreezingLoop",
        program: Owner,
        due: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context,
    ) -> None:
        self.loop, self.program, self.due, self.context = loop, program, due, context
        self.callback, self.args = callback, args
        self.handle: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        handle, program = self.handle, self.program
        if handle is None or handle.cancelled():
            return
        left = max(program.still_for, self.due - program.steady())
        if left < _ROUNDING_S or program.is_dead:
            self.handle = None
            self.callback(*self.args)
        else:
            self.loop.call_again(self.loop.time() + left, self, self.context)


class FreezingLoop(SimulatedLoop):
    """A loop on which the timers of a program are frozen while its computer is suspended."""

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Begin a timer, which ends when the steady clock of the program that begins it says so."""
        context = copy_context() if context is None else context
        program = context.get(owner)
        if program is None:
            return super().call_at(when, callback, *args, context=context)
        timer = _FrozenTimer(self, program, program.steady() + when - self.time(), callback, args, context)
        timer.handle = self.call_again(when, timer, context)
        return timer.handle

    def call_again(self, when: float, timer: _FrozenTimer, context: Context) -> asyncio.TimerHandle:
        """Look at a timer at a moment of the loop."""
        return super().call_at(when, timer, context=context)


def simulate(
    story: Callable[[SimulatedLoop], Coroutine[Any, Any, T]],
    new_loop: Callable[[], SimulatedLoop] = SimulatedLoop,
) -> T:
    """Runs a story to its end. What is still under way then is thrown away."""
    loop = new_loop()
    loop.set_exception_handler(_silent)
    asyncio.set_event_loop(loop)
    # When rubbish is collected depends on the machine, and some of it has work to do on the loop.
    gc.disable()
    gc.freeze()
    try:
        return loop.run_until_complete(story(loop))
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        asyncio.set_event_loop(None)
        loop.close()
        # Only what the run left. Looking at all that was there before, too, takes 7 % of a run.
        gc.collect()
        gc.unfreeze()
        gc.enable()


def _silent(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """Programs that died leave tasks behind whose errors nobody asks for."""
