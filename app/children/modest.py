"""How much of this computer a helper may take, as far as its system can be asked for it."""

import os
import sys


def limit_memory(size: int) -> None:
    """Let this process have ``size`` bytes at most; more raises MemoryError.

    Only Linux has such a limit: macOS ignores it, and Windows has none that a process sets for itself alone.
    """
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def give_way(nice: int) -> None:
    """Have this process run when others need the processor less; Windows has no such number."""
    if sys.platform != "win32":
        os.nice(nice)
