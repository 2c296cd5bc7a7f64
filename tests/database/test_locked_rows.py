"""PostgreSQL only: writes that need rows which another session keeps locked."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
from sqlalchemy import Connection, update
from sqlalchemy.exc import OperationalError

from app.database import Database, committer
from app.database.postgresql import postgresql_engine, postgresql_url
from tests.database.test_postgresql import count_up, counts, new_counts, opened, stored


@pytest.fixture
def url() -> str:
    return new_counts()


@contextmanager
def lost_session(database: Database, work: Callable[[Connection], None]) -> Iterator[None]:
    """Keep the locks of ``work`` during the block, like the session of a process that was cut off."""
    with database.engine.connect() as session:
        work(session)
        yield
        session.rollback()


@pytest.mark.parametrize("together", [False, True])
def test_a_write_that_needs_a_locked_row_delays_no_other(url: str, together: bool) -> None:
    with opened(url) as database:
        with lost_session(database, lambda rows: count_up(rows, 1)):
            if together:  # the next two share a transaction
                gate = threading.Event()
                database.submit(lambda _: gate.wait(20))
            waiting = [database.submit(lambda rows: count_up(rows, 1)) for _ in range(9)]
            if together:
                gate.set()
            for _ in range(3):
                database.submit(lambda rows: count_up(rows, 2)).result(20)
            assert not any(write.done() for write in waiting)
        assert [write.result(20) for write in waiting] == [None] * 9
        assert stored(database) == {1: 9, 2: 3}


def test_writes_of_one_row_keep_their_order_after_it_was_locked(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a change would undo what its author wanted later, after a call that timed out."""
    monkeypatch.setattr(committer, "_LOCKED_PAUSE_S", 60.0)
    change = update(counts).where(counts.c.id == 1)
    with opened(url) as database:
        with lost_session(database, lambda rows: count_up(rows, 1)):
            first = database.submit(lambda rows: rows.execute(change.values(n=10)))
            for _ in range(2):  # in a transaction after the one in which it was locked out
                database.write_now(lambda rows: count_up(rows, 2))
            assert not first.done()
        database.write_now(lambda rows: rows.execute(change.values(n=20)))
        first.result(20)
        assert stored(database) == {1: 20, 2: 2}


def test_a_write_that_needs_a_locked_row_fails_at_last(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committer, "_LOCKED_MAX_S", 0.0)
    with opened(url) as database, lost_session(database, lambda rows: count_up(rows, 1)):
        with pytest.raises(OperationalError, match="lock timeout"):
            database.write_now(lambda rows: count_up(rows, 1))
        database.write_now(lambda rows: count_up(rows, 2))
        assert stored(database) == {1: 0, 2: 1}


def test_a_database_that_is_closed_first_writes_what_was_locked_out(url: str) -> None:
    with opened(url) as other:
        with lost_session(other, lambda rows: count_up(rows, 1)):
            database = Database(postgresql_engine(postgresql_url(url)), "The database")
            database.submit(lambda rows: count_up(rows, 1))
            database.write_now(lambda rows: count_up(rows, 2))
            closing_it = Thread(target=database.close)
            closing_it.start()
        closing_it.join(20)
        assert stored(other) == {1: 1, 2: 1}
