"""Measuring how long an event loop is blocked."""

import asyncio
import time
from typing import Final

_TICK_S: Final = 0.001


class LoopLag:
    """Measures the running loop until ``stop``.

    Between two iterations, it counts the shorter of elapsed time and this process's CPU time, because other
    threads may hold the GIL. So neither other programs nor waiting count.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._longest = 0.0
        self._before = self._now()
        self._next = self._loop.call_soon(self._turn)

    def take_ms(self) -> float:
        """Return the longest lag since the last call, in ms."""
        longest, self._longest = self._longest, 0.0
        return longest * 1_000

    def stop(self) -> None:
        """Stop measuring."""
        self._next.cancel()

    def _turn(self) -> None:
        now = self._now()
        self._longest = max(self._longest, min(map(float.__sub__, now, self._before)))
        self._before = now
        self._next = self._loop.call_later(_TICK_S, self._turn)

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.perf_counter(), time.process_time()
