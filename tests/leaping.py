"""Event loops whose time can be advanced, for tests of long delays."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar, TypeVarTuple

import pytest

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class LeapingLoop(asyncio.SelectorEventLoop):
    """``ahead`` is how far its time was advanced, in s."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


class StillLoop(LeapingLoop):
    """A loop whose time only moves when it's advanced."""

    def __init__(self) -> None:
        super().__init__()
        self._timers: list[asyncio.TimerHandle] = []

    def time(self) -> float:
        return self.ahead

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        self._timers.append(super().call_at(when, callback, *args, context=context))
        return self._timers[-1]

    @property
    def rests(self) -> bool:
        """Whether something is waiting for a later time."""
        return any(not timer.cancelled() and timer.when() > self.time() for timer in self._timers)


def run_leaping(story: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that can call ``leap``."""
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        return runner.run(story)


def leap(seconds: float) -> None:
    """Advance the running loop's time."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, LeapingLoop)
    loop.ahead += seconds


def run_still(story: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in which time only moves with ``leap``."""
    with asyncio.Runner(loop_factory=StillLoop) as runner:
        return runner.run(story)


def rests() -> bool:
    """Whether something in the running still loop is waiting for a later time."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, StillLoop)
    return loop.rests


async def calm(rounds: int = 30) -> None:
    """Let everything happen that takes no time in a still loop, for at least a millisecond per round."""
    for _ in range(rounds):
        time.sleep(0.001)  # noqa: ASYNC251  for other threads
        await asyncio.sleep(0)


async def until_still(holds: Callable[[], bool]) -> None:
    """Wait for a condition while time stands still in the loop."""
    deadline = time.monotonic() + 30
    while not holds():
        if time.monotonic() > deadline:
            pytest.fail("it never came true")
        await calm(1)
