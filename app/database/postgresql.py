"""The engine for PostgreSQL, over psycopg 3, which is imported only where a server's database is opened."""

from typing import Any, Final

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from app.database.errors import DatabaseError

_DRIVER: Final = "postgresql+psycopg"
_SCHEMES: Final = frozenset({"postgresql", "postgres"})
_CONNECT_TIMEOUT_S: Final = 10
_DEAD_AFTER_S: Final = 30
"""How long a network that swallows everything is waited for."""
_IDLE_S: Final = 60.0
_STATEMENT_S: Final = 30.0
"""How long one statement may take; migrations take as long as they need."""


def postgresql_url(text: str) -> URL:
    """Reads an address such as ``postgresql://kalends@db.example/kalends?sslmode=verify-full``.

    What it leaves out comes from where libpq's programs look: ``.pgpass``, a service file.
    Raises DatabaseError for an address of another kind; its text, which may hold a password, is not told.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.drivername not in _SCHEMES:
        raise DatabaseError(
            "The address of the database cannot be read. It looks like postgresql://USER@HOST:PORT/NAME."
        )
    return url.set(drivername=_DRIVER)


def postgresql_engine(
    url: URL, *, readers: int = 4, idle_s: float = _IDLE_S, statement_s: float = _STATEMENT_S
) -> Engine:
    """Opens a PostgreSQL database for some readers and one writer; nothing is connected to yet.

    A transaction that stands still for ``idle_s`` is ended by the server: a process that was put to sleep
    amid one would lock others out until it wakes up. So is a statement that takes longer than
    ``statement_s``: it would keep a reader from everybody else.

    Writes run at READ COMMITTED, so that those who take rows from a queue pass each other by; whoever writes
    what it has read before locks it. What is committed is flushed, unless the server is set otherwise.

    Raises DatabaseError when this is no server install.
    """
    connect: dict[str, Any] = {
        "connect_timeout": _CONNECT_TIMEOUT_S,
        "application_name": "kalends",
        "keepalives_idle": _DEAD_AFTER_S // 3,
        "keepalives_interval": _DEAD_AFTER_S // 3,
        "keepalives_count": 2,
        "tcp_user_timeout": _DEAD_AFTER_S * 1000,
    }
    known = {name: value for name, value in connect.items() if name not in url.query}
    try:
        engine = create_engine(
            url,
            pool_size=readers + 1,
            max_overflow=readers,
            isolation_level="READ COMMITTED",
            connect_args=known,
        )
    except ImportError:
        raise DatabaseError(
            "PostgreSQL cannot be used: its library is missing. Install kalends[server]."
        ) from None

    @event.listens_for(engine, "connect")
    def limit_idle_transactions(connection: Any, _record: Any) -> None:
        connection.autocommit = True
        connection.execute(
            f"SET idle_in_transaction_session_timeout = {int(idle_s * 1000)};"
            f" SET statement_timeout = {int(statement_s * 1000)}"
        )
        connection.autocommit = False

    return engine
