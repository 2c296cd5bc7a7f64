"""Looking through the database: damage is found, and nobody has to wait for the end."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from app.database import Database, DatabaseDamagedError
from app.database.dialects import sqlite_engine
from app.service.store.folder import PageCheck

_PAGE = 4096
_MANY_WORDS = text(
    "INSERT INTO words WITH RECURSIVE numbers (n) AS"
    " (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000)"
    " SELECT hex(zeroblob(50)) FROM numbers"
)


@contextmanager
def opened(file: Path) -> Iterator[Database]:
    with closing(Database(sqlite_engine(file), "The database")) as database:
        yield database


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database of some megabytes."""
    path = tmp_path / "rows.db"
    with opened(path) as database:
        database.write_now(lambda rows: rows.execute(text("CREATE TABLE words (word TEXT)")))
        database.write_now(lambda rows: rows.execute(_MANY_WORDS))
    return path


@pytest.fixture
def damaged(file: Path) -> Path:
    """The same with three pages overwritten, far from the beginning."""
    content = bytearray(file.read_bytes())
    content[-3 * _PAGE :] = b"\xa5" * (3 * _PAGE)
    file.write_bytes(content)
    return file


def test_a_sound_file_passes(file: Path) -> None:
    with opened(file) as database:
        PageCheck(database).run()


@pytest.mark.logs_error("the database is damaged")
def test_damage_deep_inside_is_found(damaged: Path) -> None:
    with opened(damaged) as database, pytest.raises(DatabaseDamagedError, match="Restore it from a backup"):
        PageCheck(database).run()


def test_after_a_stop_nothing_is_looked_at(damaged: Path) -> None:
    with opened(damaged) as database:
        check = PageCheck(database)
        check.stop()
        check.run()


def test_a_look_under_way_ends_without_a_finding(damaged: Path) -> None:
    over = threading.Event()

    def stop_until_over() -> None:
        while not over.is_set():
            check.stop()

    stopping = threading.Thread(target=stop_until_over)

    def when_it_begins(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "quick_check" in statement:
            stopping.start()

    with opened(damaged) as database:
        check = PageCheck(database)
        event.listen(database.engine, "before_cursor_execute", when_it_begins)
        try:
            check.run()
        finally:
            over.set()
            stopping.join()
