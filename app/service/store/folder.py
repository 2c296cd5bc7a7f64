"""The data folder: which file of the service lies where, and copies of its database."""

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import structlog

from app.database import Database, Migrations
from app.database.engines import sqlite_engine
from app.disk import flush_folder, replace
from app.disk.private_files import private_folder, write_private
from app.service.problems import CommandProblem
from app.service.store.tables import metadata

_KEPT: Final = 2
"""How many copies from before a new version are kept."""

MIGRATIONS = Migrations(folder=Path(__file__).parent / "migrations", metadata=metadata)

_log = structlog.get_logger(__name__)


def copy_database(source: Path, target: Path) -> None:
    """Copies what is committed at one moment, while others go on writing. Blocking.

    The copy is its owner's alone, whole or not there at all. Raises sqlite3.Error or OSError.
    """
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True, timeout=30)) as here,
            closing(sqlite3.connect(part)) as there,
        ):
            here.backup(there)
            there.execute("PRAGMA journal_mode=DELETE").fetchone()
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    flush_folder(target.parent)


def keep_before(database: Path, version: str) -> None:
    """Keeps the database as it is before a newer version of the program changes it. Blocking.

    Raises sqlite3.Error or OSError, for example on a full disk.
    """
    copy = database.with_name(f"{database.name}.before-{version}")
    if not copy.exists():
        copy_database(database, copy)
    kept = sorted(database.parent.glob(f"{database.name}.before-[0-9]*"), key=lambda one: one.name)
    for old in kept[:-_KEPT]:
        old.unlink(missing_ok=True)


@dataclass(frozen=True)
class DataFolder:
    """One installation's folder, which holds everything that the service keeps."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "service.db"

    @property
    def lock(self) -> Path:
        return self.root / "service.lock"

    @property
    def preparing_lock(self) -> Path:
        """Held for a moment by a process that makes what is missing."""
        return self.root / "preparing.lock"

    @property
    def running(self) -> Path:
        """The ready line of the process that has the folder."""
        return self.root / "service.json"

    @property
    def settings(self) -> Path:
        return self.root / "service.toml"

    @property
    def seal_key(self) -> Path:
        return self.root / "secrets" / "seal.key"

    @property
    def cursor_key(self) -> Path:
        return self.root / "secrets" / "cursor.key"

    @property
    def link_key(self) -> Path:
        return self.root / "secrets" / "link.key"

    @property
    def apps(self) -> Path:
        """The apps that the owner has set, sealed."""
        return self.root / "secrets" / "apps.sealed"

    @property
    def media(self) -> Path:
        return self.root / "media"

    @property
    def tls(self) -> Path:
        return self.root / "tls"

    @property
    def restored(self) -> Path:
        """When the database was replaced by a copy or an empty one, in ISO 8601; absent where it wasn't."""
        return self.root / "restored"

    def keep_restored(self, at: datetime) -> None:
        """Remembers that the database was replaced. Blocking. Raises OSError."""
        write_private(self.restored, at.astimezone(UTC).isoformat().encode("ascii"))

    def is_trusted_for_sweeping(self) -> bool:
        """Whether a file in ``media`` without a row is surely nobody's.

        It isn't after the database was restored, replaced or recreated: its rows may be older than the files.
        """
        return not self.restored.exists()

    def restored_at(self) -> datetime | None:
        """When everything here came back from a backup. Blocking. Raises OSError.

        What cannot be read is taken for the moment at which it was written: rather is a post not sent than
        sent twice.
        """
        try:
            text = self.restored.read_text("ascii")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError:
            text = ""
        try:
            return datetime.fromisoformat(text).astimezone(UTC)
        except ValueError:
            return datetime.fromtimestamp(self.restored.stat().st_mtime, UTC)

    def _holds_media(self) -> bool:
        return self.media.is_dir() and any(self.media.iterdir())

    def _keep_before(self, version: str) -> None:
        try:
            keep_before(self.database, version)
        except sqlite3.Error as error:
            raise CommandProblem(
                f"The database {self.database} must be copied before this newer version changes it, and that "
                f"failed: {error}. Free some space in its folder, then start again."
            ) from error
        _log.info("the database was copied before it changes", copy=f"{self.database.name}.before-{version}")

    def make(self) -> None:
        """Makes the folder. Raises CommandProblem when that is not possible."""
        try:
            private_folder(self.root)
        except OSError as error:
            raise CommandProblem(
                f"The data folder {self.root} cannot be used ({error.strerror}). Choose another with --data."
            ) from error

    def open_database(self) -> Database:
        """The store, brought to the newest version. Blocking.

        Raises CommandProblem for an unusable folder, DatabaseError for a damaged file, a full disk, or a file
        of a newer version.
        """
        self.make()
        if not self.database.exists() and self._holds_media():
            self.keep_restored(datetime.now(UTC))  # its rows have gone, and the files may be needed again
        name = f"The database {self.database}"
        engine = sqlite_engine(self.database, readers=5)
        engine.hide_parameters = True  # what people wrote stays out of error messages and logs
        try:
            MIGRATIONS.upgrade(engine, name, before=self._keep_before)
        except Exception:
            engine.dispose()
            raise
        return Database(engine, name, reads_in_place=True)
