"""Transactions, group commit, damaged files and a full disk."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from queue import Queue

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Connection, Integer, MetaData, Table, event, select

from app.database import Database, DatabaseDamagedError, DatabaseUnreachableError, UtcMillis
from app.database.dialects import sqlite_engine
from tests.stores import STORES, empty_engine

metadata = MetaData()
numbers = Table("numbers", metadata, Column("n", Integer, primary_key=True))
moments = Table("moments", metadata, Column("at", UtcMillis, primary_key=True))


@pytest.fixture(params=STORES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    database = Database(empty_engine(tmp_path, request.param), "the store")
    database.write_now(metadata.create_all)
    yield database
    database.close()


def insert(n: int) -> Callable[[Connection], int]:
    def work(connection: Connection) -> int:
        connection.execute(numbers.insert().values(n=n))
        return n

    return work


def stored(connection: Connection) -> list[int]:
    return list(connection.scalars(select(numbers.c.n).order_by(numbers.c.n)))


def test_a_failing_write_takes_nobody_else_with_it(database: Database) -> None:
    futures = [database.submit(insert(n)) for n in (1, 2, 1, 3)]

    assert [future.exception() is None for future in futures] == [True, True, False, True]
    assert database.read_now(stored) == [1, 2, 3]


def test_what_a_write_saw_of_others_counts_only_if_theirs_was_committed(database: Database) -> None:
    begun, release = threading.Event(), threading.Event()

    def hold(_rows: Connection) -> None:
        begun.set()
        assert release.wait(60)

    def must_be_absent(rows: Connection) -> None:
        if stored(rows):
            raise ValueError("exists already")

    commits = count()

    def fail_the_second(_connection: Connection) -> None:
        if next(commits):
            raise DatabaseUnreachableError("the server is away")

    event.listen(database.engine, "commit", fail_the_second)
    first = database.submit(hold)
    assert begun.wait(60)
    group = [database.submit(work) for work in (insert(1), must_be_absent)]
    release.set()
    assert first.exception(60) is None
    assert [type(future.exception(60)) for future in group] == [DatabaseUnreachableError] * 2
    event.remove(database.engine, "commit", fail_the_second)
    assert database.read_now(stored) == []


async def test_writes_do_not_wait_for_one_beside_them_on_a_server(tmp_path: Path) -> None:
    database = Database(empty_engine(tmp_path, "postgresql"), "the store")
    database.write_now(metadata.create_all)
    heard, begun, release = Queue[None](), threading.Event(), threading.Event()
    end = database.on_commit(lambda: heard.put(None))

    def long(rows: Connection) -> int:
        begun.set()
        assert release.wait(10)
        return insert(1)(rows)

    beside = asyncio.create_task(database.write_beside(long))
    try:
        await asyncio.to_thread(begun.wait, 10)
        assert await database.write(insert(2)) == 2
        assert not beside.done()
        release.set()
        assert await beside == 1
        for _ in range(2):
            heard.get(timeout=10)
        assert database.read_now(stored) == [1, 2]
    finally:
        release.set()
        end()
        database.close()


async def test_a_write_beside_others_shares_their_thread_if_there_is_one_writer(tmp_path: Path) -> None:
    database = Database(empty_engine(tmp_path, "sqlite"), "the store")
    try:
        threads = [
            await write(lambda _rows: threading.get_ident())
            for write in (database.write, database.write_beside)
        ]
        assert threads[0] == threads[1]
    finally:
        database.close()


def test_a_lone_write_that_fails_leaves_nothing_and_is_not_repeated(database: Database) -> None:
    tries = list[int]()

    def work(rows: Connection) -> None:
        tries.append(1)
        insert(1)(rows)
        raise ValueError("failed")

    with pytest.raises(ValueError, match="failed"):
        database.write_now(work)
    assert (tries, database.read_now(stored)) == ([1], [])


async def test_many_writers_and_readers_never_lock_each_other_out(database: Database) -> None:
    await asyncio.gather(
        *(database.write(insert(n)) for n in range(200)), *(database.read(stored) for _ in range(50))
    )
    assert database.read_now(stored) == list(range(200))


async def test_one_share_leaves_readers_to_others_and_gets_its_turns_in_order(database: Database) -> None:
    asking = 6
    release, reading = threading.Event(), threading.Semaphore(0)

    def wait(connection: Connection) -> list[int]:
        reading.release()
        assert release.wait(60)
        return stored(connection)

    greedy = [asyncio.create_task(database.read(wait, share="greedy")) for _ in range(asking)]
    for _ in range(2):
        assert await asyncio.to_thread(reading.acquire, timeout=60)
    async with asyncio.timeout(60):  # two readers are left for everybody
        assert await database.read(stored, share="modest") == []
        assert await database.read(stored) == []
    assert not reading.acquire(blocking=False)  # the greedy one got no third
    cancelled = greedy.pop()
    cancelled.cancel()
    release.set()
    assert await asyncio.gather(*greedy) == [[]] * (asking - 1)
    assert await database.read(stored, share="greedy") == []


@pytest.mark.parametrize("share", [None, "one"])
@pytest.mark.filterwarnings("error")
def test_a_read_in_a_loop_that_shuts_down_leaves_no_generator_behind(
    database: Database, share: str | None
) -> None:
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(loop.shutdown_asyncgens())
        assert loop.run_until_complete(database.read(stored, share=share)) == []
    finally:
        loop.close()


def test_what_is_not_a_database_is_said_to_be_damaged_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"not a database " * 100)
    database = Database(sqlite_engine(path), "the store")

    with pytest.raises(DatabaseDamagedError, match="the store is damaged"):
        database.read_now(stored)
    database.close()
    assert path.read_bytes() == b"not a database " * 100


def test_what_cannot_be_opened_is_said_so(tmp_path: Path) -> None:
    """The path is a folder instead of a file."""
    database = Database(sqlite_engine(tmp_path), "the store")
    with pytest.raises(DatabaseUnreachableError, match=r"Couldn.t open the store"):
        database.read_now(stored)
    database.close()


def test_who_waits_for_commits_hears_of_each_until_it_has_enough(database: Database) -> None:
    heard: Queue[list[int]] = Queue()
    end = database.on_commit(lambda: heard.put(database.read_now(stored)))
    for n in (1, 2):
        database.write_now(insert(n))
        assert heard.get(timeout=10) == list(range(1, n + 1))  # every committed row can be read
    end()
    database.write_now(insert(3))
    database.write_now(lambda _: None)
    assert heard.empty()


def test_a_write_after_close_is_refused(database: Database) -> None:
    database.close()
    with pytest.raises(RuntimeError, match="closed"):
        database.submit(insert(1))


@given(st.datetimes(timezones=st.just(UTC), min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)))  # noqa: DTZ001
def test_times_keep_their_millisecond(moment: datetime) -> None:
    column = UtcMillis()
    kept = column.process_result_value(column.process_bind_param(moment, None), None)
    assert kept == moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        UtcMillis().process_bind_param(datetime(2026, 11, 21), None)  # noqa: DTZ001
