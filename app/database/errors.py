"""What can go wrong with a database that a person can do something about."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc


class DatabaseError(Exception):
    """A database that cannot be used; the message is a sentence for a person."""


class DatabaseDamagedError(DatabaseError):
    """The file is not a database, or its contents are broken."""


class DiskFullError(DatabaseError):
    """There is no room left to write; what was written before is safe."""


_DAMAGE = ("file is not a database", "malformed", "file is encrypted", "unsupported file format")
_NO_ROOM = ("disk is full", "No space left")


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Turns the driver's words for damage and a full disk into our errors; ``name`` says which database."""
    try:
        yield
    except exc.DBAPIError as error:
        words = str(error.orig)
        if any(sign in words for sign in _DAMAGE):
            raise DatabaseDamagedError(
                f"{name} is damaged and was left as it is. "
                "Restore a backup of it, or move it away to start anew."
            ) from error
        if any(sign in words for sign in _NO_ROOM) or "disk I/O error" in words:
            raise DiskFullError(
                f"{name} could not be written: the disk is full or not writable. "
                "Free some space; nothing that was saved is lost."
            ) from error
        raise
