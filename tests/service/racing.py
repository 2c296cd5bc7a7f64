"""Several programs that write to one PostgreSQL database at the same moment."""

import threading

from sqlalchemy import Engine, text


def wait_for_a_lock(engine: Engine, thread: threading.Thread) -> None:
    """Returns when a thread's transaction waits for another one, or has ended."""
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as rows:
        while thread.is_alive() and not rows.scalar(waiting):
            pass
