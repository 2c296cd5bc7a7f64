"""Database errors that a user can do something about."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc


class DatabaseError(Exception):
    """An unusable database. The message is a sentence for the user.

    ``name`` is the database, for callers with their own messages; empty if unknown.
    """

    name = ""


class DatabaseDamagedError(DatabaseError):
    """The file isn't a database, or its content is damaged."""


class DatabaseNewerError(DatabaseError):
    """The database has an unknown, newer version."""


class DiskFullError(DatabaseError):
    """The disk is full or read-only. Earlier writes are safe."""


class DatabaseUnreachableError(DatabaseError):
    """The server doesn't respond, or closed the connection. A retry may succeed."""


class DatabaseBusyError(DatabaseError):
    """Another session is changing rows on which this work depends. A retry will succeed."""


class DatabaseRefusedError(DatabaseError):
    """The server responds but refuses access."""


_DAMAGE = ("file is not a database", "malformed", "file is encrypted", "unsupported file format")
_NO_FILE = "unable to open database file"
_NO_ROOM = ("disk is full", "No space left", "disk I/O error", "readonly database")
_REFUSALS = ("authentication failed", "no password supplied", "does not exist", "permission denied", "pg_hba")
_SQLSTATES_OF_DAMAGE = ("XX001", "XX002")
_SQLSTATES_OF_NO_ROOM = ("53100",)
SQLSTATE_OF_READ_ONLY = "25006"
# connection, operator intervention, too many connections
_SQLSTATES_OF_ABSENCE = ("08", "57P", "53300", SQLSTATE_OF_READ_ONLY)
_SQLSTATES_OF_REFUSAL = ("28", "3D000", "42501")
_SQLSTATES_OF_LOCKS = ("55P03",)  # lock not available
_SQLSTATES_OF_CONFLICT = ("40001", "40P01", *_SQLSTATES_OF_LOCKS)  # serialization, deadlock
_SQLSTATES_OF_OVERTAKEN_WORK = ("23503", "23505")  # foreign key, unique


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Convert driver errors that a user can fix to our errors; ``name`` is the database."""
    try:
        yield
    except exc.DBAPIError as error:
        ours = _translation(error, name)
        if ours is None:
            raise
        ours.name = name
        raise ours from error


def is_conflict(error: BaseException) -> bool:
    """Whether two writers conflicted: nothing was written, and a retry helps."""
    return isinstance(error, exc.DBAPIError) and _has_sqlstate(error, _SQLSTATES_OF_CONFLICT)


def is_locked_out(error: BaseException) -> bool:
    """Whether the work has waited in vain for rows or tables that another session has locked."""
    return isinstance(error, exc.DBAPIError) and _has_sqlstate(error, _SQLSTATES_OF_LOCKS)


def is_overtaken(error: BaseException) -> bool:
    """Whether a row exists already, or another one that it needs doesn't, on a server with several writers.

    Another writer may have inserted or deleted it since the work has looked, so running the work again helps.
    """
    return isinstance(error, exc.DBAPIError) and _has_sqlstate(error, _SQLSTATES_OF_OVERTAKEN_WORK)


def is_disconnect(error: BaseException) -> bool:
    """Whether the connection to the server broke, now or since its last use."""
    cause = error.__cause__ if isinstance(error, DatabaseError) else error
    return isinstance(cause, exc.DBAPIError) and cause.connection_invalidated


def _translation(error: exc.DBAPIError, name: str) -> DatabaseError | None:
    words = str(error.orig)
    # The messages of a server quote values, so only its codes count.
    of_file = "" if hasattr(error.orig, "sqlstate") else words
    if any(sign in of_file for sign in _DAMAGE) or _has_sqlstate(error, _SQLSTATES_OF_DAMAGE):
        return DatabaseDamagedError(
            f"{name} is damaged. Restore it from a backup, and keep the damaged file until then."
        )
    if any(sign in of_file for sign in _NO_ROOM) or _has_sqlstate(error, _SQLSTATES_OF_NO_ROOM):
        return DiskFullError(
            f"Couldn't write {name}: the disk is full or not writable. Free up space; "
            "nothing saved earlier is lost."
        )
    if not isinstance(error, exc.OperationalError | exc.ProgrammingError | exc.InternalError):
        return None
    if _NO_FILE in of_file:
        return DatabaseUnreachableError(
            f"Couldn't open {name}. Check that it's a file, and that it and its folder are writable."
        )
    if _is_refusal(error, words):
        return DatabaseRefusedError(
            f"{name} refuses access: {_first_line(words)}. Check the user, the password and database name."
        )
    if is_disconnect(error) or _has_sqlstate(error, _SQLSTATES_OF_ABSENCE) or _is_no_connection(error):
        return DatabaseUnreachableError(
            f"{name} can't be reached: {_first_line(words)}. "
            "Check that the server is running and that its address is right."
        )
    return None


def _has_sqlstate(error: exc.DBAPIError, beginnings: tuple[str, ...]) -> bool:
    """Whether a PostgreSQL error code starts with one of ``beginnings``. SQLite's errors have none."""
    return (getattr(error.orig, "sqlstate", None) or "").startswith(beginnings)


def _is_no_connection(error: exc.DBAPIError) -> bool:
    """Whether connecting failed: such an error has no statement and, with psycopg, no code."""
    return error.statement is None and hasattr(error.orig, "sqlstate")


def _is_refusal(error: exc.DBAPIError, words: str) -> bool:
    if _has_sqlstate(error, _SQLSTATES_OF_REFUSAL):
        return True
    return _is_no_connection(error) and any(sign in words for sign in _REFUSALS)


def _first_line(words: str) -> str:
    return words.strip().partition("\n")[0].rstrip(".")
