"""The data folder: when it came back from a backup."""

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import text

from app.database import Database, DatabaseNewerError
from app.disk import set_aside, write_private
from app.service.problems import CommandProblem
from app.service.store.folder import MIGRATIONS, DataFolder
from tests.service.programs import unix_only

WHEN = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
FORMER = f"{int(MIGRATIONS.newest) - 1:04}"
"""The version before the newest."""


def test_a_folder_that_was_always_here_was_not_restored(tmp_path: Path) -> None:
    assert DataFolder(tmp_path).restored_at() is None


def test_it_says_when_it_was_restored(tmp_path: Path) -> None:
    (tmp_path / "restored").write_text("2026-11-22T10:30:00+01:00")
    assert DataFolder(tmp_path).restored_at() == WHEN


@pytest.mark.parametrize("text", [b"", b"yesterday", b"\xff\xfe"])
def test_what_cannot_be_read_counts_from_when_it_was_written(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "restored"
    path.write_bytes(text)
    os.utime(path, (WHEN.timestamp(), WHEN.timestamp()))
    assert DataFolder(tmp_path).restored_at() == WHEN


def at_version(folder: DataFolder, version: str) -> None:
    """Says of the database that it has another version."""
    with closing(sqlite3.connect(folder.database)) as rows, rows:
        rows.execute("UPDATE alembic_version SET version_num = ?", (version,))


def former(tmp_path: Path) -> DataFolder:
    """A data folder whose database is of the version before the newest, with a word in it."""
    folder = DataFolder(tmp_path / "data")
    with closing(folder.open_database()) as database, database.engine.begin() as connection:
        config = MIGRATIONS.config()
        config.attributes["connection"] = connection
        command.downgrade(config, FORMER)
        connection.execute(text("CREATE TABLE words AS SELECT 'kept' AS word"))
    return folder


def word_in(file: Path) -> str:
    with closing(sqlite3.connect(file)) as rows:
        return str(rows.execute("SELECT word FROM words").fetchone()[0])


def test_a_copy_is_kept_before_a_newer_version_changes_the_database(tmp_path: Path) -> None:
    folder = former(tmp_path)
    database: Database
    for _ in range(2):
        with closing(folder.open_database()) as database:
            assert database.engine.dialect.name == "sqlite"
    copies = list(folder.root.glob("service.db.before-*"))
    assert [copy.name for copy in copies] == [f"service.db.before-{FORMER}"]
    assert word_in(copies[0]) == "kept"
    with closing(sqlite3.connect(copies[0])) as rows:
        assert rows.execute("SELECT version_num FROM alembic_version").fetchone() == (FORMER,)


def test_the_copy_leads_back(tmp_path: Path) -> None:
    folder = former(tmp_path)
    with closing(folder.open_database()):
        pass
    for part in folder.root.glob("service.db-*"):
        part.unlink()
    shutil.copy(folder.root / f"service.db.before-{FORMER}", folder.database)
    with closing(folder.open_database()):
        assert word_in(folder.database) == "kept"


def test_only_the_two_newest_copies_are_kept(tmp_path: Path) -> None:
    folder = former(tmp_path)
    for version in ("0009", "0014", "0015"):
        (folder.root / f"service.db.before-{version}").touch()
    with closing(folder.open_database()):
        pass
    kept = sorted(copy.name for copy in folder.root.glob("service.db.before-*"))
    assert kept == ["service.db.before-0015", f"service.db.before-{FORMER}"]


def test_neither_a_new_database_nor_the_newest_is_copied(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    for _ in range(2):
        with closing(folder.open_database()):
            pass
    at_version(folder, str(int(MIGRATIONS.newest) + 1))
    with pytest.raises(DatabaseNewerError):
        folder.open_database()
    assert list(folder.root.glob("service.db.before-*")) == []


def test_without_a_copy_nothing_is_changed(tmp_path: Path) -> None:
    folder = former(tmp_path)
    (folder.root / f"service.db.before-{FORMER}.part").mkdir()
    with pytest.raises((CommandProblem, OSError)):
        folder.open_database()
    with closing(sqlite3.connect(folder.database)) as rows:
        assert rows.execute("SELECT version_num FROM alembic_version").fetchone() == (FORMER,)


@unix_only
def test_the_folder_and_what_is_kept_in_it_are_the_owners_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        folder = former(tmp_path)
        with closing(folder.open_database()):
            pass
        write_private(folder.root / "secret", b"x")
    finally:
        os.umask(old)
    for path in (folder.root, folder.root / "secret", folder.root / f"service.db.before-{FORMER}"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_what_is_set_aside_is_never_lost(tmp_path: Path) -> None:
    path = tmp_path / "apps.sealed"
    assert set_aside(path) is None
    for content in (b"first", b"second", b"third"):
        path.write_bytes(content)
        aside = set_aside(path)
        assert aside is not None
        assert aside.read_bytes() == content
    assert sorted(one.read_bytes() for one in tmp_path.iterdir()) == [b"first", b"second", b"third"]
