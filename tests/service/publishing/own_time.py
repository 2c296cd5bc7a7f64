"""An event loop with a time of its own, which passes only while all in it wait for time."""

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, TypeVar, TypeVarTuple, Unpack

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class _IdleSelector(selectors.DefaultSelector):
    """Adds up the seconds for which there was nothing to do but to wait for the next timer."""

    def __init__(self) -> None:
        super().__init__()
        self.idle = 0.0
        self.busy = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        began = time.monotonic()
        found: list[tuple[selectors.SelectorKey, int]] = super().select(timeout)
        if not self.busy and timeout is not None:
            self.idle += min(time.monotonic() - began, timeout)
        return found


class OwnTimeLoop(asyncio.SelectorEventLoop):
    """Neither a busy machine nor a slow disk makes anything late in it.

    Its time stands while a task works, while threads work for it, and while the system lets others run.
    """

    def __init__(self) -> None:
        self._idle = _IdleSelector()
        super().__init__(self._idle)

    def time(self) -> float:
        return self._idle.idle

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        working = super().run_in_executor(executor, func, *args)
        self._idle.busy += 1
        working.add_done_callback(self._end_work)
        return working

    def _end_work(self, _working: asyncio.Future[Any]) -> None:
        self._idle.busy -= 1

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Time stands inside the block, whatever waits."""
        self._idle.busy += 1
        try:
            yield
        finally:
            self._idle.busy -= 1


def run(work: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run`` on such a loop."""
    with asyncio.Runner(loop_factory=OwnTimeLoop) as runner:
        return runner.run(work)


@contextmanager
def disk_at_work() -> Iterator[None]:
    """Time stands inside the block, where the loop that runs has one of its own."""
    loop = asyncio.get_running_loop()
    if isinstance(loop, OwnTimeLoop):
        with loop.standing():
            yield
    else:
        yield


def clock() -> Callable[[], float]:
    """What tells seconds here: the loop that runs. Without one nothing waits, and time stands."""
    try:
        return asyncio.get_running_loop().time
    except RuntimeError:
        return lambda: 0.0
