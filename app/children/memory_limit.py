"""A memory limit for this process, because a crafted file can make a decoder take all there is."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final

EXIT_CODE: Final = 77
"""Exit code of a process that `Watch` has ended."""
_LOOK_EVERY_S: Final = 0.05


Watched = Callable[[], AbstractContextManager[None]]
"""Returns a block in which the limit applies on every system."""


def limit_memory(size: int) -> Watched:
    """Limit this process to ``size`` bytes; beyond that, allocations raise MemoryError.

    macOS has no such limit. There, the process ends instead, but only in the returned blocks.
    """
    watched: Watched = nullcontext
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    elif sys.platform == "win32":
        _limit_by_job(size)
    elif sys.platform == "darwin":
        watched = Watch(size, peak).on
    return watched


class Watch:
    """A thread that ends this process when it has used too much memory."""

    def __init__(self, size: int, used: Callable[[], int]) -> None:
        """``used`` returns the memory that is used, and ``size`` its maximum, both in bytes."""
        self._size, self._used = size, used
        self._is_on = threading.Event()
        threading.Thread(target=self._look, name="memory watch", daemon=True).start()

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch during the block. Otherwise the thread sleeps, which saves power."""
        self._is_on.set()
        try:
            yield
        finally:
            self._is_on.clear()

    def _look(self) -> None:
        while self._is_on.wait():
            if self._used() > self._size:
                os._exit(EXIT_CODE)
            time.sleep(_LOOK_EVERY_S)


if sys.platform == "win32":

    def _limit_by_job(size: int) -> None:
        import win32api
        import win32job

        job = win32job.CreateJobObject(None, "")
        kind = win32job.JobObjectExtendedLimitInformation
        limits = win32job.QueryInformationJobObject(job, kind)
        limits["BasicLimitInformation"]["LimitFlags"] |= win32job.JOB_OBJECT_LIMIT_PROCESS_MEMORY
        limits["ProcessMemoryLimit"] = size
        win32job.SetInformationJobObject(job, kind, limits)
        win32job.AssignProcessToJobObject(job, win32api.GetCurrentProcess())

elif sys.platform == "darwin":

    def peak() -> int:
        """Return the most memory that this process has used so far, in bytes."""
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
