"""PostgreSQL only: several writers, unavailable servers, and errors for missing ones."""

import asyncio
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    delete,
    event,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError, OperationalError

from app.database import (
    Database,
    DatabaseError,
    DatabaseRefusedError,
    DatabaseUnreachableError,
    Migrations,
)
from app.database.dialects import upsert
from app.database.migrations import wait_for_others
from app.database.postgresql import postgresql_engine, postgresql_url, timeline
from tests.postgres import Cluster, running_standby
from tests.stores import postgres_cluster

metadata = MetaData()
counts = Table("counts", metadata, Column("id", Integer, primary_key=True), Column("n", Integer))


@contextmanager
def opened(url: str) -> Iterator[Database]:
    """Open a database like one process does."""
    with closing(Database(postgresql_engine(postgresql_url(url)), "The database")) as database:
        yield database


def new_counts() -> str:
    """Create a database with two counts of 0; return its URL."""
    url = postgres_cluster().create_database()
    with opened(url) as database:
        database.write_now(metadata.create_all)
        database.write_now(lambda rows: rows.execute(insert(counts), [{"id": n, "n": 0} for n in (1, 2)]))
    return url


@pytest.fixture
def url() -> str:
    return new_counts()


def stored(database: Database) -> dict[int, int]:
    wanted = select(counts.c.id, counts.c.n).order_by(counts.c.id)
    return {row.id: row.n for row in database.read_now(lambda rows: rows.execute(wanted).all())}


def count_up(rows: Connection, one: int) -> None:
    rows.execute(update(counts).where(counts.c.id == one).values(n=counts.c.n + 1))


def both(first: int, second: int, met: threading.Barrier) -> Callable[[Connection], None]:
    """Lock two rows; the first time, wait until another writer has locked one of them."""
    waits = [True]

    def work(rows: Connection) -> None:
        count_up(rows, first)
        if waits and waits.pop():
            met.wait(20)
        count_up(rows, second)

    return work


def test_two_processes_that_lock_each_other_out_both_get_through(url: str) -> None:
    met = threading.Barrier(2)
    with opened(url) as one, opened(url) as other:
        writes = [one.submit(both(1, 2, met)), other.submit(both(2, 1, met))]
        assert [write.result(30) for write in writes] == [None, None]
        assert stored(one) == {1: 2, 2: 2}


def test_what_was_together_with_a_loser_is_written_too(url: str) -> None:
    met = threading.Barrier(2)
    with opened(url) as one, opened(url) as other:
        gate = threading.Event()
        first = one.submit(lambda _: gate.wait(20))  # so that the next three share a transaction
        group: list[Future[Any]] = [
            one.submit(lambda rows: count_up(rows, 1)),
            one.submit(both(1, 2, met)),
            one.submit(lambda rows: rows.execute(insert(counts).values(id=1, n=0))),
        ]
        rival = other.submit(both(2, 1, met))
        gate.set()
        assert first.result(30) is True
        rival.result(30)
        assert [write.exception(30) is None for write in group] == [True, True, False]
        assert stored(one) == {1: 3, 2: 2}


def test_work_that_looks_before_it_inserts_finds_what_another_process_inserted(url: str) -> None:
    met = threading.Barrier(2)

    def look_and_insert(mine: int) -> Callable[[Connection], int]:
        waits = [True]

        def work(rows: Connection) -> int:
            found: int | None = rows.scalar(select(counts.c.n).where(counts.c.id == 7))
            if waits and waits.pop():
                met.wait(20)
            if found is None:
                rows.execute(insert(counts).values(id=7, n=mine))
            return mine if found is None else found

        return work

    with opened(url) as one, opened(url) as other:
        seen = {
            write.result(30) for write in (one.submit(look_and_insert(10)), other.submit(look_and_insert(20)))
        }
        assert seen == {stored(one)[7]}


@pytest.mark.parametrize("together", [False, True])
def test_work_that_needs_a_row_that_another_process_deletes_looks_again(url: str, together: bool) -> None:
    owners = MetaData()
    owner = Table("owner", owners, Column("id", Integer, primary_key=True))
    owned = Table("owned", owners, Column("owner_id", ForeignKey(owner.c.id)))

    with opened(url) as one, opened(url) as other:
        one.write_now(owners.create_all)
        one.write_now(lambda rows: rows.execute(insert(owner).values(id=1)))
        gate, waits = threading.Event(), [True]

        def add(rows: Connection) -> bool:
            found = rows.scalar(select(owner.c.id)) is not None
            if waits and waits.pop():
                other.write_now(lambda rows: rows.execute(delete(owner)))
            if found:
                rows.execute(insert(owned).values(owner_id=1))
            return found

        if together:  # the next two share a transaction
            one.submit(lambda _: gate.wait(20))
            one.submit(lambda rows: count_up(rows, 1))
        write = one.submit(add)
        gate.set()
        assert write.result(30) is False


@pytest.mark.parametrize("word", ["malformed", "disk is full"])
def test_a_value_in_a_message_of_the_server_is_neither_an_error_nor_logged(url: str, word: str) -> None:
    names = Table("names", MetaData(), Column("name", String(20), primary_key=True))
    new = insert(names).values(name=word)
    with opened(url) as database:
        database.write_now(names.metadata.create_all)
        database.write_now(lambda rows: rows.execute(new))
        with pytest.raises(IntegrityError, match="names_pkey") as refused:
            database.write_now(lambda rows: rows.execute(new))
        database.engine.hide_parameters = True
        with pytest.raises(IntegrityError, match="names_pkey") as hidden:
            database.write_now(lambda rows: rows.execute(new))
    assert word not in str(refused.value.orig)
    assert word not in "".join(traceback.format_exception(hidden.value))


def test_rows_are_added_to_from_several_processes(url: str) -> None:
    def add(rows: Connection) -> None:
        new = upsert(rows, counts)
        summed = {"n": counts.c.n + new.excluded.n}
        rows.execute(new.on_conflict_do_update(index_elements=["id"], set_=summed), [{"id": 9, "n": 1}])

    with opened(url) as one, opened(url) as other:
        for write in [database.submit(add) for _ in range(50) for database in (one, other)]:
            write.result(30)
        assert stored(one)[9] == 100


def test_a_read_sees_one_moment(url: str) -> None:
    with opened(url) as one, opened(url) as other:

        def look_twice(rows: Connection) -> list[int | None]:
            first = rows.scalar(select(counts.c.n).where(counts.c.id == 1))
            other.write_now(lambda elsewhere: count_up(elsewhere, 1))
            return [first, rows.scalar(select(counts.c.n).where(counts.c.id == 1))]

        assert one.read_now(look_twice) == [0, 0]
        assert stored(one)[1] == 1


_STEP = """
from alembic import op

revision = "{revision}"
down_revision = {before}


def upgrade() -> None:
    op.execute("ALTER TABLE {table} ADD COLUMN more integer")
"""
_VERSION = text("SELECT version_num FROM alembic_version")


@pytest.fixture
def steps(url: str, tmp_path: Path) -> Migrations:
    """Three versions of a database with two tables; it has the first."""
    other = Table("other", MetaData(), Column("id", Integer))
    with opened(url) as database:
        database.write_now(other.metadata.create_all)
        database.write_now(lambda rows: rows.execute(text("CREATE TABLE third ()")))
    for revision, before, table in (("1", None, "third"), ("2", "'1'", "counts"), ("3", "'2'", "other")):
        step = _STEP.format(revision=revision, before=before, table=table)
        (tmp_path / f"{revision}_step.py").write_text(step, "utf-8")
        if revision == "1":
            upgrade(url, Migrations(folder=tmp_path, metadata=MetaData()))
    return Migrations(folder=tmp_path, metadata=MetaData())


def upgrade(url: str, migrations: Migrations) -> None:
    engine = postgresql_engine(postgresql_url(url))
    try:
        migrations.upgrade(engine, "The database")
    finally:
        engine.dispose()


def test_a_step_that_takes_long_keeps_no_table_of_the_steps_before(url: str, steps: Migrations) -> None:
    with opened(url) as database, database.engine.connect() as busy:
        busy.execute(text("LOCK TABLE other IN SHARE MODE"))
        upgrading = Thread(target=upgrade, args=(url, steps))
        upgrading.start()
        until(lambda: database.read_now(lambda rows: rows.scalar(_VERSION)) == "2")
        assert stored(database) == {1: 0, 2: 0}
        assert upgrading.is_alive()
        busy.rollback()
        upgrading.join(60)
        assert database.read_now(lambda rows: rows.scalar(_VERSION)) == "3"


def test_two_processes_that_migrate_take_each_step_once(url: str, steps: Migrations) -> None:
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda _: upgrade(url, steps), range(2))) == [None, None]
    with opened(url) as database:
        assert database.read_now(lambda rows: rows.scalar(_VERSION)) == "3"


def test_a_read_that_a_migration_locks_out_runs_again(url: str, steps: Migrations) -> None:
    """The reader notices first that each waits for the other."""
    del steps  # only its tables are needed
    read, waits = Event(), Event()

    def migrate(database: Database) -> None:
        with database.engine.begin() as migrating:
            migrating.execute(text("SET LOCAL deadlock_timeout = '1min'"))
            migrating.execute(text("LOCK TABLE other"))
            waits.set()
            assert read.wait(20)
            migrating.execute(text("LOCK TABLE counts"))

    def work(rows: Connection) -> list[Any]:
        assert waits.wait(20)
        rows.execute(select(counts))
        read.set()
        return list(rows.execute(text("SELECT id FROM other")))

    with opened(url) as database, opened(url) as other:
        migrating = Thread(target=migrate, args=(other,))
        migrating.start()
        assert database.read_now(work) == []
        migrating.join(20)


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that happens soon."""
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_process_that_stands_still_amid_a_transaction_locks_nobody_out_for_long(url: str) -> None:
    count_up = update(counts).where(counts.c.id == 1).values(n=counts.c.n + 1)
    first_time = Event()
    others = Event()

    def work(rows: Connection) -> None:
        rows.execute(count_up)
        if not first_time.is_set():
            first_time.set()
            assert others.wait(20)
        rows.execute(count_up)

    engine = postgresql_engine(postgresql_url(url), idle_s=0.3)
    with closing(Database(engine, "The sleeper")) as sleeper, opened(url) as database:
        asleep = Thread(target=sleeper.write_now, args=(work,))
        asleep.start()
        assert first_time.wait(20)
        database.write_now(lambda rows: rows.execute(count_up))
        assert stored(database)[1] == 1
        others.set()
        asleep.join()
        assert stored(database)[1] == 3


def test_the_server_notices_soon_that_a_process_has_vanished(url: str) -> None:
    """Otherwise its sessions would hold their locks. The tests' sockets have no timeouts, so values are 0."""
    names = {"tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout"}
    changed = text("SELECT name FROM pg_settings WHERE source = 'session'")
    with opened(url) as database:
        assert names <= database.read_now(lambda rows: set(rows.scalars(changed)))


@pytest.mark.parametrize(
    ("address", "timeout"),
    [
        ("postgresql://u@one/kalends", "10"),
        ("postgresql://u@/kalends?host=one&host=two", "3"),
        ("postgresql://u@/kalends?host=one,two", "3"),
        ("postgresql://u@/kalends?host=one,two&connect_timeout=7", "7"),
    ],
)
def test_of_several_hosts_a_dead_one_is_soon_given_up(address: str, timeout: str) -> None:
    known: list[dict[str, Any]] = []
    engine = postgresql_engine(postgresql_url(address))

    @event.listens_for(engine, "do_connect")
    def note(_dialect: Any, _record: Any, _args: Any, arguments: dict[str, Any]) -> None:
        known.append(arguments)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        engine.connect()
    assert str(known[0]["connect_timeout"]) == timeout


def test_a_statement_that_takes_too_long_is_ended_but_a_migration_is_not(url: str) -> None:
    def sleep(rows: Connection) -> None:
        rows.execute(text("SELECT pg_sleep(2)"))

    engine = postgresql_engine(postgresql_url(url), statement_s=0.2)
    with closing(Database(engine, "The database")) as database:
        for call in (database.read_now, database.write_now):
            with pytest.raises(OperationalError, match="statement timeout"):
                call(sleep)
        with engine.begin() as migrating:
            wait_for_others(migrating)
            sleep(migrating)
        assert stored(database) == {1: 0, 2: 0}


def test_a_migration_waits_long_enough_for_autovacuum_to_give_way(url: str) -> None:
    """It only does after ``deadlock_timeout``; a migration that has given up by then never gets the table."""
    waits = text(
        "SELECT current_setting('lock_timeout')::interval > current_setting('deadlock_timeout')::interval"
    )
    with opened(url) as database, database.engine.begin() as migrating:
        wait_for_others(migrating)
        assert migrating.scalar(waits)


def test_a_server_that_was_started_anew_goes_unnoticed(mortal: Cluster) -> None:
    with opened(mortal.create_database()) as database:
        database.write_now(metadata.create_all)
        asyncio.run(database.read(lambda rows: rows.scalar(text("SELECT 1"))))
        mortal.stop("immediate")
        mortal.start()
        database.write_now(lambda rows: rows.execute(insert(counts).values(id=1, n=5)))
        mortal.stop("fast")
        mortal.start()
        assert stored(database) == {1: 5}


def test_a_server_that_became_read_only_is_left(url: str) -> None:
    """Like a primary that is a standby now, while another has its address."""
    with opened(url) as database:
        with database.engine.connect() as kept:
            kept.execute(text("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"))
            kept.commit()
        database.write_now(lambda rows: count_up(rows, 1))
        assert stored(database)[1] == 1


def test_a_read_only_server_is_not_used(url: str) -> None:
    with opened(url) as database:
        name = database.engine.url.database
        database.write_now(
            lambda rows: rows.execute(text(f"ALTER DATABASE {name} SET default_transaction_read_only = on"))
        )
    with opened(url) as database:
        for call in (database.read_now, database.write_now):
            with pytest.raises(DatabaseUnreachableError, match="read-only"):
                call(lambda rows: rows.scalar(text("SELECT 1")))


def test_a_session_knows_the_timeline_of_its_server(mortal: Cluster) -> None:
    with opened(mortal.create_database()) as database:
        before = database.read_now(timeline)
        mortal.restart("immediate")
        assert before is not None
        assert len(before) == 8
        assert database.read_now(timeline) == database.write_now(timeline) == before


@pytest.mark.parametrize("function", ["pg_current_wal_lsn()", "pg_walfile_name(pg_lsn)"])
def test_a_server_that_does_not_tell_its_timeline_is_used_nevertheless(url: str, function: str) -> None:
    def hide(rows: Connection) -> None:
        rows.execute(text(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC"))
        rows.execute(text("DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN END $$"))
        rows.execute(text("GRANT ALL ON ALL TABLES IN SCHEMA public TO guest"))

    with opened(url) as database:
        database.write_now(hide)
    with opened(url.replace("kalends@", "guest@")) as database:
        assert database.read_now(timeline) is None
        database.write_now(lambda rows: count_up(rows, 1))
        assert stored(database)[1] == 1


def test_a_standby_is_not_used_even_if_the_address_allows_it(mortal: Cluster) -> None:
    """It could take over, and this session would go on as if nothing had happened."""
    with (
        running_standby(mortal) as standby,
        opened(f"{standby.url('postgres')}&target_session_attrs=any") as database,
    ):
        with pytest.raises(DatabaseUnreachableError, match="recovery is in progress"):
            database.read_now(timeline)
        standby.promote()
        assert database.read_now(timeline) is not None


def test_a_server_that_is_gone_is_said_and_found_again(mortal: Cluster) -> None:
    with opened(mortal.create_database()) as database:
        database.write_now(metadata.create_all)
        mortal.stop("immediate")
        try:
            for call in (database.read_now, database.write_now):
                with pytest.raises(
                    DatabaseUnreachableError, match=r"can't be reached.*Check that the server is running"
                ):
                    call(lambda rows: rows.scalar(text("SELECT 1")))
        finally:
            mortal.start()
        assert stored(database) == {}


@pytest.mark.parametrize(
    ("address", "kind", "words"),
    [
        ("postgresql://kalends:needle@127.0.0.1:1/kalends", DatabaseUnreachableError, "refused"),
        ("postgresql://kalends:needle@nowhere.invalid/kalends", DatabaseUnreachableError, "nowhere.invalid"),
    ],
)
def test_why_there_is_no_connection_is_said_without_the_password(
    address: str, kind: type[DatabaseError], words: str
) -> None:
    with opened(address) as database, pytest.raises(kind, match=words) as refused:
        database.read_now(lambda rows: rows.scalar(text("SELECT 1")))
    assert "needle" not in str(refused.value)


@pytest.mark.parametrize("change", [("kalends@", "nobody@"), ("/kalends_", "/elsewhere_")])
def test_who_is_not_let_in_learns_it(url: str, change: tuple[str, str]) -> None:
    with (
        opened(url.replace(*change)) as database,
        pytest.raises(DatabaseRefusedError, match="Check the user"),
    ):
        database.read_now(lambda rows: rows.scalar(text("SELECT 1")))


@pytest.mark.parametrize(
    "address", ["", "needle", "mysql://needle@h/db", "sqlite:///needle", "postgresql+asyncpg://h/needle"]
)
def test_an_address_of_another_kind_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(DatabaseError, match="postgresql://USER@HOST:PORT/NAME") as refused:
        postgresql_url(address)
    assert "needle" not in str(refused.value)


def test_texts_with_null_characters_are_stored_and_found(url: str) -> None:
    names = Table("names", MetaData(), Column("name", String(10), primary_key=True), Column("note", Text))
    with opened(url) as database:
        database.write_now(names.metadata.create_all)
        database.write_now(lambda rows: rows.execute(insert(names).values(name="a\0b", note=None)))
        many = [{"name": f"{number}\0", "note": "\0"} for number in range(3)]
        database.write_now(lambda rows: rows.execute(insert(names), many))
        wanted = select(names.c.name).where(names.c.name.in_(["a\0b", "1\0"])).order_by(names.c.name)
        assert database.read_now(lambda rows: rows.scalars(wanted).all()) == ["1\ufffd", "a\ufffdb"]
