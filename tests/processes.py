"""The running child processes of a test."""

import psutil


def children(*, recursive: bool = False) -> list[psutil.Process]:
    """Return the running children, also those of children if ``recursive``.

    Zombies don't count, nor do those that end while they're listed.
    """
    return [child for child in psutil.Process().children(recursive=recursive) if _is_running(child)]


def resident_bytes(process: psutil.Process) -> int:
    """Return the memory of a process, 0 if it has ended."""
    try:
        return process.memory_info().rss
    except psutil.NoSuchProcess:
        return 0


def _is_running(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
