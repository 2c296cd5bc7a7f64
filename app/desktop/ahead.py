"""What the app begins with, before Qt is imported: the lock on its folder, and the service that it will need.

The service takes longer to start than everything in the app, so it is started first.
"""

from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from app.workspace.homes.last import LastHome
from app.workspace.homes.programs import ServiceAhead


@dataclass(frozen=True, slots=True)
class Ahead:
    """Held by the one app on a data folder: what was open last, and its service if it was started."""

    lock: FileLock
    home: LastHome
    service: ServiceAhead | None


def begin(data: Path) -> Ahead | None:
    """Take the data folder and start the service of the home that was open last.

    None where nothing was open, another app has the folder, or it can't be written: the app says so later.
    """
    if (home := LastHome.of(data)) is None:
        return None
    lock = lock_of(data)
    try:
        lock.acquire(blocking=False)
    except (Timeout, OSError):
        return None
    return Ahead(lock, home, ServiceAhead.start(home))


def lock_of(data: Path) -> FileLock:
    """The lock that one app has on a data folder."""
    return FileLock(data / "app.lock")
