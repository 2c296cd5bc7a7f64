"""An event loop whose time can be put forward, for what takes minutes."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LeapingLoop(asyncio.SelectorEventLoop):
    """``ahead`` is by how many seconds its time was put forward."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


def run_leaping(story: Coroutine[Any, Any, T]) -> T:
    """Runs a story in which ``leap`` can be called."""
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        return runner.run(story)


def leap(seconds: float) -> None:
    """Puts the running loop's time forward."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, LeapingLoop)
    loop.ahead += seconds
