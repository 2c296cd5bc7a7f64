"""The PostgreSQL engine with psycopg 3, which is imported only when a server's database is opened."""

import secrets
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import URL, Connection, Engine, ExceptionContext, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError

from app.database.errors import SQLSTATE_OF_READ_ONLY, DatabaseError

if TYPE_CHECKING:
    from psycopg.abc import Buffer
    from psycopg.types.string import StrDumperUnknown

_DRIVER: Final = "postgresql+psycopg"
_SCHEMES: Final = frozenset({"postgresql", "postgres"})
_CONNECT_TIMEOUT_S: Final = 10
_CONNECT_TIMEOUT_OF_SEVERAL_S: Final = 3
"""Timeout for each host of an address with several, in s: after a failover, the first may be the dead one."""
_LABEL: Final = "application_name"
_DEAD_AFTER_S: Final = 10
"""Timeout for a network that drops all packets, in s."""
_KEEPALIVE_S: Final = 3
_KEEPALIVES: Final = 2
"""Number of unanswered keepalives, ``_KEEPALIVE_S`` apart, after which a connection is closed."""
_IDLE_S: Final = 60.0
_STATEMENT_S: Final = 30.0
"""Timeout of a statement, in s. Migrations have none."""
_TIMELINE: Final = "timeline"
# Its first eight digits. The control file names the former timeline for a while after a failover.
_READ_TIMELINE: Final = "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)"
# connection, resources, state (recovery), operator intervention
_SQLSTATES_OF_THE_MOMENT: Final = {"08", "53", "55", "57"}

# Each engine has its own name, because a program may have several connections to the database.
COUNT_OTHER_PROGRAMS: Final = text(
    "SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE datname = current_database()"
    " AND application_name LIKE 'kalends %' AND application_name <> current_setting('application_name')"
)
"""Returns how many other programs are connected to the same database."""


def postgresql_url(address: str) -> URL:
    """Parse a URL such as ``postgresql://kalends@db.example/kalends?sslmode=verify-full``.

    Missing parts come from where libpq looks: ``.pgpass``, a service file. Raises DatabaseError for other
    URLs, without quoting them, because they may contain a password.
    """
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.drivername not in _SCHEMES:
        raise DatabaseError(
            "The database's address is invalid. It looks like postgresql://USER@HOST:PORT/NAME."
        )
    return url.set(drivername=_DRIVER)


_DEFAULTS: Final = {
    "connect_timeout": _CONNECT_TIMEOUT_S,
    "keepalives_idle": _KEEPALIVE_S,
    "keepalives_interval": _KEEPALIVE_S,
    "keepalives_count": _KEEPALIVES,
    "tcp_user_timeout": _DEAD_AFTER_S * 1000,
    "target_session_attrs": "read-write",  # never a standby, which may be behind
}
"""Parameters of connections, unless the address has them."""


def postgresql_engine(
    url: URL, *, readers: int = 4, idle_s: float = _IDLE_S, statement_s: float = _STATEMENT_S
) -> Engine:
    """Open a PostgreSQL database for several readers and two writers, without connecting yet.

    The server ends transactions that are idle for ``idle_s``: a process that went to sleep during one would
    lock out the others. It also ends statements that take longer than ``statement_s``, because they would
    occupy a reader.

    Writes use READ COMMITTED, so that workers taking rows from a queue don't block each other. Work that
    writes based on rows it has read has to lock them. Commits are flushed unless the server is configured
    otherwise.

    PostgreSQL can't store null characters in texts, unlike SQLite. They're replaced with U+FFFD here, because
    texts come from requests, platforms and files, and no code that stores or compares them should fail.

    Raises DatabaseError if this isn't a server installation.
    """
    known: dict[str, Any] = {name: value for name, value in _DEFAULTS.items() if name not in url.query}
    if "connect_timeout" in known and _names_several_hosts(url):
        known["connect_timeout"] = _CONNECT_TIMEOUT_OF_SEVERAL_S
    # COUNT_OTHER_PROGRAMS needs a name of our own; the address can only add to it.
    known[_LABEL] = " ".join(["kalends", secrets.token_hex(4), *url.normalized_query.get(_LABEL, ())])
    try:
        engine = create_engine(
            url.difference_update_query([_LABEL]),
            pool_size=readers + 2,
            max_overflow=readers,
            isolation_level="READ COMMITTED",
            connect_args=known,
        )
    except ImportError:
        raise DatabaseError(
            "PostgreSQL can't be used: its library is missing. Install kalends[server]."
        ) from None

    @event.listens_for(engine, "connect")
    def limit_idle_transactions(connection: Any, _record: Any) -> None:
        connection.autocommit = True
        connection.execute(
            f"SET idle_in_transaction_session_timeout = {int(idle_s * 1000)};"
            f" SET statement_timeout = {int(statement_s * 1000)};"
            # The server must also notice that this process is gone, because its sessions may hold locks.
            f" SET tcp_keepalives_idle = {_KEEPALIVE_S}; SET tcp_keepalives_interval = {_KEEPALIVE_S};"
            f" SET tcp_keepalives_count = {_KEEPALIVES}; SET tcp_user_timeout = {_DEAD_AFTER_S * 1000}"
        )
        connection.autocommit = False

    event.listen(engine, "connect", _replace_null_characters)
    event.listen(engine, "connect", _note_timeline)
    event.listen(engine, "handle_error", _leave_out_details)
    event.listen(engine, "handle_error", _leave_read_only_server)
    return engine


def timeline(connection: Connection) -> str | None:
    """Return the timeline of the server behind a session: a number that changes with each failover.

    None for servers that don't tell, and for SQLite.
    """
    found: str | None = connection.info.get(_TIMELINE)
    return found


def _note_timeline(connection: Any, record: Any) -> None:
    connection.autocommit = True
    record.info[_TIMELINE] = _read_timeline(connection)
    connection.autocommit = False


def _read_timeline(connection: Any) -> str | None:
    """Return the server's timeline, or None if it can't be read. Raises errors of the connection."""
    from psycopg import Error

    try:
        (found,) = connection.execute(_READ_TIMELINE).fetchone()
    except Error as error:
        # A standby would keep the session if it took over later, and nobody would notice.
        # Of other errors, only some say that the server never tells.
        if connection.closed or (error.sqlstate or "")[:2] in _SQLSTATES_OF_THE_MOMENT:
            raise
        return None
    return str(found)


def _names_several_hosts(url: URL) -> bool:
    hosts = ",".join([url.host or "", *url.normalized_query.get("host", ())])
    return len([host for host in hosts.split(",") if host]) > 1


def _replace_null_characters(connection: Any, _record: Any) -> None:
    connection.adapters.register_dumper(str, _text_dumper())


def _leave_out_details(context: ExceptionContext) -> None:
    """Shorten a server's message to its first line: details quote users' texts, which mustn't be logged."""
    diagnosis = getattr(context.original_exception, "diag", None)
    message = None if diagnosis is None else diagnosis.message_primary
    if not message:
        return
    context.original_exception.args = (message,)
    if context.sqlalchemy_exception is not None:
        kind = type(context.original_exception)
        context.sqlalchemy_exception.args = (f"({kind.__module__}.{kind.__name__}) {message}",)


def _leave_read_only_server(context: ExceptionContext) -> None:
    """Close the pool's connections if a server has become read-only: another one may have taken over."""
    if getattr(context.original_exception, "sqlstate", None) == SQLSTATE_OF_READ_ONLY:
        context.is_disconnect = True


@cache
def _text_dumper() -> "type[StrDumperUnknown]":
    from psycopg.types.string import StrDumperUnknown

    class TextDumper(StrDumperUnknown):
        def dump(self, obj: str) -> "Buffer | None":
            return super().dump(obj.replace("\0", "\ufffd") if "\0" in obj else obj)

    return TextDumper
