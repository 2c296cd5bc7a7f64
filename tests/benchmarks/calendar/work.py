"""Whether a program is still working, measured from outside."""

import contextlib
import time
from collections.abc import Iterator
from typing import Final

import psutil

_EVERY_S: Final = 0.5
_IDLE: Final = 0.2
"""Share of a core below which a program counts as idle."""


class Work:
    """Checks the CPU time of a program and its children twice per second when polled."""

    def __init__(self, pid: int) -> None:
        self._program = psutil.Process(pid)
        self._at, self._used = time.perf_counter(), 0.0
        self._goes_on = True

    def __call__(self) -> bool:
        """Whether it was busy at the last check."""
        now = time.perf_counter()
        if now - self._at >= _EVERY_S:
            used = sum(self._seconds())
            self._goes_on = used - self._used > _IDLE * (now - self._at)
            self._at, self._used = now, used
        return self._goes_on

    def _seconds(self) -> Iterator[float]:
        for process in (self._program, *self._program.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                yield times.user + times.system
