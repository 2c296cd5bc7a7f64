"""The log of changes on PostgreSQL: concurrent writers, and the update from numbers to transactions."""

import contextlib
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic import command
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from app.database import Database
from app.database.postgresql import postgresql_engine, postgresql_url
from app.service.cli import main
from app.service.companion.change_log import (
    Concerned,
    Position,
    concerned,
    newest,
    prune,
    read_changes,
    resume,
)
from app.service.store.folder import MIGRATIONS
from app.service.store.marks import oldest_usable
from tests.postgres import Cluster
from tests.stores import postgres_cluster, service_store

BEFORE = "0026"
LONG_AGO, NOW = datetime(2030, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)
WRITERS = 3
_INSERT = "INSERT INTO changes (account_id, kind, subject, created_at) VALUES (%s, 'media.changed', %s, %s)"


class Writer:
    """A connection with at most one open transaction, and what its transaction has written."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.connection = psycopg.connect(url)
        self.written: list[str] = []

    def begin(self) -> None:
        """Get a transaction's number before anything is written."""
        self.connection.execute("SELECT pg_current_xact_id()")

    def write(self, account_id: UUID, subject: str, at: datetime = NOW) -> None:
        self.connection.execute(_INSERT, (account_id, subject, int(at.timestamp() * 1000)))
        self.written.append(subject)

    def commit(self) -> list[str]:
        self.connection.commit()
        written, self.written = self.written, []
        return written

    def roll_back(self) -> None:
        self.connection.rollback()
        self.written = []

    def crash(self, killer: psycopg.Connection) -> None:
        """Lose the connection in the middle of the transaction."""
        pid = self.connection.info.backend_pid
        killer.execute("SELECT pg_terminate_backend(%s, 10000)", (pid,))
        self.connection.close()
        self.connection, self.written = psycopg.connect(self._url), []


class Reader:
    """A client: it continues after the last change it received, and may reconnect."""

    def __init__(self, database: Database, account_id: UUID) -> None:
        self.database, self.account_id = database, account_id
        self.position = database.read_now(newest)
        self.received: list[str] = []

    def read(self, most: int) -> None:
        found = self.database.read_now(lambda rows: read_changes(rows, self.account_id, self.position, most))
        for change in found:
            self.position = change.position
            self.received.append(json.loads(change.data.model_dump_json())["storage_path"])

    def reconnect(self) -> None:
        found = self.resume(str(self.position))
        if found is not None:  # nothing was received since there are changes at all
            assert found == self.position

    def resume(self, event_id: str) -> Position | None:
        """Where a stream continues after an event."""
        given = Position.parse(event_id)
        assert given is not None
        return self.database.read_now(lambda rows: resume(rows, self.account_id, given))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with closing(service_store(tmp_path_factory.mktemp("log"), "postgresql")) as database:
        yield database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)


@pytest.fixture(scope="module")
def database(url: str) -> Iterator[Database]:
    with closing(Database(postgresql_engine(postgresql_url(url)), "The database")) as opened:
        yield opened


_WRITER = st.integers(0, WRITERS - 1)
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["begin", "write", "write", "commit", "roll back", "crash"]), _WRITER),
        st.tuples(st.sampled_from(["read", "read one", "reconnect", "prune"]), st.just(0)),
    ),
    max_size=40,
)


@given(steps=_STEPS)
@example(steps=[("write", 0), ("write", 1), ("commit", 1), ("read", 0), ("commit", 0)])
@example(steps=[("begin", 0), ("begin", 1), ("write", 1), ("write", 0), ("commit", 0), ("read", 0)])
@settings(max_examples=40)
def test_no_reader_misses_a_change_or_gets_one_twice(
    url: str, database: Database, steps: list[tuple[str, int]]
) -> None:
    account_id, committed, number = uuid4(), [], 0
    with ExitStack() as stack:
        writers = [Writer(url) for _ in range(WRITERS)]
        killer = stack.enter_context(psycopg.connect(url, autocommit=True))
        reader = Reader(database, account_id)
        for step, which in steps:
            writer = writers[which]
            match step:
                case "begin":
                    writer.begin()
                case "write":
                    number += 1
                    writer.write(account_id, f"{number}")
                case "commit":
                    committed += writer.commit()
                case "roll back":
                    writer.roll_back()
                case "crash":
                    writer.crash(killer)
                case "prune":
                    database.write_now(lambda rows: prune(rows, LONG_AGO, 1_000))
                case "reconnect":
                    reader.reconnect()
                case _:
                    reader.read(1 if step == "read one" else 100)
        for writer in writers:
            committed += writer.commit()
            writer.connection.close()
        reader.read(1_000)
    assert sorted(reader.received) == sorted(committed)


def test_a_change_behind_a_running_transaction_comes_soon(url: str, database: Database) -> None:
    account_id = uuid4()
    slow, quick = Writer(url), Writer(url)
    since = database.read_now(newest)
    slow.begin()
    quick.write(account_id, "a")
    quick.commit()

    def look() -> Concerned:
        return database.read_now(lambda rows: concerned(rows, since, [account_id, uuid4()]))

    assert look() == Concerned(soon=frozenset({account_id}))
    slow.roll_back()
    assert look() == Concerned(now=frozenset({account_id}))
    for writer in (slow, quick):
        writer.connection.close()


def test_writers_do_not_wait_for_each_other(url: str) -> None:
    first, second = Writer(url), Writer(url)
    first.write(uuid4(), "a")
    second.connection.execute("SET lock_timeout = '5s'")
    second.write(uuid4(), "b")
    assert second.commit() == ["b"]
    assert first.commit() == ["a"]
    for writer in (first, second):
        writer.connection.close()


def test_only_the_beginning_of_the_log_is_deleted(url: str, database: Database) -> None:
    """A client between an old change and a young one that comes before it would miss the old one."""
    account_id = uuid4()
    database.write_now(lambda rows: prune(rows, NOW + timedelta(days=1), 10_000))
    first, second, third = Writer(url), Writer(url), Writer(url)
    first.begin()
    second.write(account_id, "old", LONG_AGO)
    first.write(account_id, "young")
    third.write(account_id, "newest")
    for writer in (first, second, third):
        writer.commit()
        writer.connection.close()

    database.write_now(lambda rows: prune(rows, NOW, 10_000))

    reader = Reader(database, account_id)
    reader.position = Position(0, 0)
    reader.read(10)
    assert reader.received == ["young", "old", "newest"]


@contextlib.contextmanager
def _of_the_version_before(cluster: Cluster) -> Iterator[tuple[str, UUID]]:
    """A database in use by programs without numbers of transactions, with three changes."""
    url, account_id = cluster.create_database(MIGRATIONS), uuid4()
    engine = postgresql_engine(postgresql_url(url))
    try:
        with engine.begin() as connection:
            config = MIGRATIONS.config()
            config.attributes["connection"] = connection
            command.downgrade(config, BEFORE)
            connection.execute(
                text(
                    "INSERT INTO accounts (id, name, plan, status, created_at)"
                    " VALUES (:id, 'Ines', 'local', 'active', 0)"
                ),
                {"id": account_id},
            )
        writer = Writer(url)
        for subject in "abc":
            writer.write(account_id, subject)
            writer.commit()
        writer.connection.close()
        yield url, account_id
    finally:
        engine.dispose()


def test_numbers_from_before_an_update_are_still_good() -> None:
    """Also those that programs of the version before assign until they have stopped."""
    with _of_the_version_before(postgres_cluster()) as (url, account_id):
        engine = postgresql_engine(postgresql_url(url))
        MIGRATIONS.upgrade(engine, "The database")
        with closing(Database(engine, "The database")) as database:
            slow, quick = Writer(url), Writer(url)
            slow.begin()
            quick.write(account_id, "d")
            quick.commit()
            slow.write(account_id, "e")
            slow.commit()
            for number, missed in (("1", "bced"), ("3", "ed"), ("4", "e"), ("5", "")):
                reader = Reader(database, account_id)
                found = reader.resume(number)
                assert found is not None
                reader.position = found
                reader.read(10)
                assert set(missed) <= set(reader.received)
            for never in ("6", "99"):
                assert Reader(database, account_id).resume(never) is None
            for writer in (slow, quick):
                writer.connection.close()


def test_until_an_update_is_finished_writers_wait_as_the_version_before_needs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with _of_the_version_before(postgres_cluster()) as (url, account_id):
        config = tmp_path / "kalends.toml"
        config.write_text(f'[server]\nfolder = "{tmp_path}"\ndatabase_url = "{url}"\n', "utf-8")
        place = ("--config", str(config))
        main(["migrate", *place])
        first, second = Writer(url), Writer(url)
        heard = Queue[str]()
        listening = psycopg.connect(url, autocommit=True)
        listening.execute("LISTEN kalends")
        first.write(account_id, "d")
        second.connection.execute("SET lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            second.write(account_id, "e")
        second.roll_back()
        first.commit()
        for notification in listening.notifies(timeout=20, stop_after=1):
            heard.put(notification.payload)
        assert heard.get(timeout=20) == "changes"

        main(["migrate", *place, "--finish"])
        main(["migrate", *place, "--finish"])  # again, in case the answer was lost

        first.write(account_id, "f")
        second.write(account_id, "g")
        assert second.commit() == ["g"]
        assert first.commit() == ["f"]
        assert list(listening.notifies(timeout=0.1)) == []
        with closing(Database(postgresql_engine(postgresql_url(url)), "The database")) as database:
            assert database.read_now(oldest_usable) == MIGRATIONS.newest
        for connection in (first.connection, second.connection, listening):
            connection.close()
    assert f'"after": "{MIGRATIONS.newest}"' in capsys.readouterr().out
