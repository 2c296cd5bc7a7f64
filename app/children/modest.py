"""Resource limits for helper processes, as far as the system supports them."""

import os
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
