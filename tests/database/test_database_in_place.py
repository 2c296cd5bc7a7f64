"""Reading in place: fast reads stay on the thread, slow ones leave it, and nothing is stale."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import DBAPIError, OperationalError

from app.database import Database, DatabaseError
from app.database.dialects import sqlite_engine

_ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT max(i) FROM n"
)


def opened(path: Path) -> Database:
    return Database(sqlite_engine(path, readers=5), "test", reads_in_place=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with closing(opened(path)) as database:
        database.write_now(lambda rows: rows.execute(text("CREATE TABLE t (v INTEGER)")))
        yield database


def add(database: Database, value: int) -> None:
    database.write_now(lambda rows: rows.execute(text("INSERT INTO t VALUES (:v)"), {"v": value}))


def values(rows: Connection) -> list[int]:
    return list(rows.scalars(text("SELECT v FROM t ORDER BY v")))


def thread_of(rows: Connection) -> int:
    values(rows)
    return threading.get_ident()


async def test_a_quick_read_stays_where_it_is_and_sees_what_was_written(database: Database) -> None:
    for number in range(3):
        add(database, number)
        assert await database.read(values) == list(range(number + 1))
    assert await database.read(thread_of) == threading.get_ident()


async def test_a_long_read_is_taken_to_a_thread_and_quick_ones_go_on(database: Database) -> None:
    def endless(rows: Connection) -> tuple[Any, int]:
        return rows.scalar(text(_ENDLESS)), threading.get_ident()

    for _ in range(2):
        found, thread = await database.read(endless)
        assert found == 2_000_000
        assert thread != threading.get_ident()
        assert await database.read(thread_of) == threading.get_ident()


async def test_very_many_reads_long_after_one_another_are_never_given_up(database: Database) -> None:
    """SQLite counts the steps of a statement over all its runs, so the time may be from another run."""

    for _ in range(6_000):
        await database.read_remembered("nothing", lambda _rows: None)
        await database.read(values)


async def test_work_that_fails_leaves_nothing_open(database: Database) -> None:
    for _ in range(3):
        with pytest.raises(OperationalError, match="no such table"):
            await database.read(lambda rows: rows.execute(text("SELECT v FROM missing")))
        with pytest.raises(ZeroDivisionError):
            await database.read(lambda _rows: 1 // 0)
    add(database, 1)
    assert await database.read(values) == [1]


async def test_a_read_cannot_write(database: Database) -> None:
    with pytest.raises(DatabaseError, match="not writable"):
        await database.read(lambda rows: rows.execute(text("INSERT INTO t VALUES (1)")))


async def test_several_reads_see_one_moment(database: Database) -> None:
    def twice(rows: Connection) -> tuple[list[int], list[int]]:
        before = values(rows)
        add(database, 7)
        return before, values(rows)

    assert await database.read(twice) == ([], [])


def test_while_one_thread_reads_in_place_others_read_elsewhere(database: Database) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait(_rows: Connection) -> None:
        inside.set()
        go_on.wait(10)

    slow = threading.Thread(target=lambda: asyncio.run(database.read(wait)))
    slow.start()
    inside.wait(10)
    try:
        assert asyncio.run(database.read(thread_of)) != threading.get_ident()
        assert asyncio.run(database.read_remembered("values", values)) == []
    finally:
        go_on.set()
        slow.join()


async def test_what_is_remembered_is_forgotten_with_the_next_change_by_anybody(
    database: Database, path: Path
) -> None:
    read = []

    def look(rows: Connection) -> list[int]:
        read.append(1)
        return values(rows)

    for number in range(4):
        if number % 2:
            add(database, number)
        else:
            with closing(opened(path)) as another:
                add(another, number)
        for _ in range(3):
            assert await database.read_remembered("values", look) == list(range(number + 1))
    assert len(read) == 4


async def test_remembering_has_an_end(database: Database) -> None:
    for number in range(2_500):
        await database.read_remembered(number, lambda _rows: None)
    assert len(database._remembered) <= 1_000


def test_a_file_that_cannot_be_read_for_a_while_is_read_again_later(path: Path) -> None:
    engine, connections = sqlite_engine(path, readers=5), list[sqlite3.Connection]()
    event.listen(engine, "connect", lambda connection, _record: connections.append(connection))
    with closing(Database(engine, "test", reads_in_place=True)) as database:
        in_place = connections[-1]
        database.write_now(lambda rows: rows.execute(text("CREATE TABLE t (v INTEGER)")))
        in_place.set_authorizer(lambda *_what: sqlite3.SQLITE_DENY)
        assert database.version() is None
        with pytest.raises(DBAPIError):
            asyncio.run(database.read(values))
        in_place.set_authorizer(None)
        assert asyncio.run(database.read(values)) == []
        assert database.version() is not None
