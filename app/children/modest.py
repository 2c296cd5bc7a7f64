"""Resource limits for helper processes, as far as the system supports them."""

import os
import signal
import sys


def limit_memory(size: int) -> None:
    """Limit this process to ``size`` bytes; beyond that, allocations raise MemoryError.

    Only Linux supports this: macOS ignores the limit, and on Windows a process can't set one for itself.
    """
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def give_way(nice: int) -> None:
    """Lower the CPU priority of this process. No effect on Windows."""
    if sys.platform != "win32":
        os.nice(nice)


def limit_processor_time(seconds: float) -> None:
    """End this process by SIGPROF after it has used the processor for so long; 0 lifts the limit.

    Each call starts again. Waiting for a disk, or for a turn on a busy computer, doesn't count. No effect on
    Windows.
    """
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def was_processor_limit(exit_code: int | None) -> bool:
    """Return whether a process with this exit code ended because of `limit_processor_time`."""
    return sys.platform != "win32" and exit_code == -signal.SIGPROF
