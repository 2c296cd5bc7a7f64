"""The first steps of the app, before Qt is imported: lock the data folder, and start the service.

The service takes longer to start than the rest of the app, so it's started first.
"""

from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from app.workspace.homes.last import LastHome
from app.workspace.homes.programs import ServiceAhead


@dataclass(frozen=True, slots=True)
class Ahead:
    """The folder's lock, the home that was open last, and its service if it was started."""

    lock: FileLock
    home: LastHome
    service: ServiceAhead | None


def begin(data: Path) -> Ahead | None:
    """Lock the data folder and start the service of the home that was open last.

    Return None if no home was open, another app has the folder, or it isn't writable: the app reports that
    later.
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
    """Return the lock that one app holds on a data folder."""
    return FileLock(data / "app.lock")
