"""The data folder: the paths of the service's files, copies of its database, and a check for damage."""

import os
import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection as DriverConnection
from typing import Final, NoReturn

import structlog
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from app.database import Database, DatabaseDamagedError, Migrations
from app.database.dialects import sqlite_engine
from app.disk import flush_folder, private_folder, replace, write_private
from app.service.problems import CommandProblem
from app.service.store.marks import oldest_usable
from app.service.store.tables import metadata

_KEPT: Final = 2
"""Number of copies from before an upgrade to keep."""

MIGRATIONS = Migrations(folder=Path(__file__).parent / "migrations", metadata=metadata)

_log = structlog.get_logger(__name__)


def works_with(rows: Connection) -> bool:
    """Whether this program can use a server's database of a newer version, during an update."""
    oldest = oldest_usable(rows)
    return oldest is not None and oldest <= MIGRATIONS.newest


def require_version(engine: Engine, name: str) -> None:
    """Raise CommandProblem if a database must be migrated first. Blocking. Raises DatabaseError."""
    version = MIGRATIONS.usable_version(engine, name, works_with)
    if version < MIGRATIONS.newest:
        raise CommandProblem(
            f"{name} has version {version or 'none'}, and this program needs {MIGRATIONS.newest}. "
            "Run the command “migrate” first."
        )


def copy_database(source: Path, target: Path) -> None:
    """Copy the committed state of a database while others write to it. Blocking.

    The copy is private to its owner, and either complete or absent. Raises sqlite3.Error or OSError.
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
    """Copy the database before a newer version of the program changes it. Blocking.

    Raises sqlite3.Error or OSError, for example if the disk is full.
    """
    copy = database.with_name(f"{database.name}.before-{version}")
    if not copy.exists():
        copy_database(database, copy)
    kept = sorted(database.parent.glob(f"{database.name}.before-[0-9]*"), key=lambda one: one.name)
    for old in kept[:-_KEPT]:
        old.unlink(missing_ok=True)


@dataclass(frozen=True)
class DataFolder:
    """The folder of one installation, which contains all data of the service."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "service.db"

    @property
    def lock(self) -> Path:
        return self.root / "service.lock"

    @property
    def preparing_lock(self) -> Path:
        """Lock held briefly by a process that creates missing files."""
        return self.root / "preparing.lock"

    @property
    def running(self) -> Path:
        """File with the ready line of the process that holds the folder."""
        return self.root / "service.json"

    @property
    def settings(self) -> Path:
        return self.root / "service.toml"

    @property
    def seal_key(self) -> Path:
        return self.root / "secrets" / "seal.key"

    @property
    def next_seal_key(self) -> Path:
        """File with the seal key that a rotation is about to use."""
        return self.root / "secrets" / "seal.key.next"

    @property
    def cursor_key(self) -> Path:
        return self.root / "secrets" / "cursor.key"

    @property
    def link_key(self) -> Path:
        return self.root / "secrets" / "link.key"

    @property
    def apps(self) -> Path:
        """File with the apps set by the owner, encrypted."""
        return self.root / "secrets" / "apps.sealed"

    @property
    def next_apps(self) -> Path:
        """The apps, encrypted with the key that a rotation is about to use."""
        return self.root / "secrets" / "apps.sealed.next"

    @property
    def pack_key(self) -> Path:
        """File with the key that signs setup packs, encrypted; missing until the first pack is made."""
        return self.root / "secrets" / "pack.sealed"

    @property
    def next_pack_key(self) -> Path:
        """The same, encrypted with the key that a rotation is about to use."""
        return self.root / "secrets" / "pack.sealed.next"

    @property
    def media(self) -> Path:
        return self.root / "media"

    @property
    def tls(self) -> Path:
        return self.root / "tls"

    @property
    def restored(self) -> Path:
        """File with the time the database was replaced by a copy or an empty one, in ISO 8601, if it was."""
        return self.root / "restored"

    def keep_restored(self, at: datetime) -> None:
        """Record that the database was replaced. Blocking. Raises OSError."""
        write_private(self.restored, at.astimezone(UTC).isoformat().encode("ascii"))

    def is_trusted_for_sweeping(self) -> bool:
        """Whether a file in ``media`` without a row can safely be deleted.

        Not after the database was restored, replaced or recreated: its rows may be older than the files.
        """
        return not self.restored.exists()

    def restored_at(self) -> datetime | None:
        """When the data was restored from a backup. Blocking. Raises OSError.

        If the file is unreadable, its modification time is used: better not to send a post than to send it
        twice.
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
        """Create the folder. Raises CommandProblem if that fails."""
        try:
            private_folder(self.root)
        except OSError as error:
            raise CommandProblem(
                f"The data folder {self.root} can't be used ({error.strerror}). Choose another with --data."
            ) from error

    def database_version(self) -> str:
        """Return the version of the database; empty if there is none. Blocking. Raises DatabaseError."""
        if not self.database.exists():
            return ""
        engine = sqlite_engine(self.database)
        try:
            return MIGRATIONS.version(engine, f"The database {self.database}")
        finally:
            engine.dispose()

    def open_database(self, *, migrate: bool = True) -> Database:
        """Open the database and migrate it to the newest version. Blocking.

        Without ``migrate``, it must have that version.

        Raises CommandProblem for an unusable folder, and DatabaseError for a damaged file, a full disk, or a
        file of a newer version.
        """
        self.make()
        if not self.database.exists() and self._holds_media():
            self.keep_restored(datetime.now(UTC))  # its rows are gone, and the files may be needed again
        name = f"The database {self.database}"
        engine = sqlite_engine(self.database, readers=5)
        engine.hide_parameters = True  # keeps user content out of error messages and logs
        try:
            if migrate:
                MIGRATIONS.upgrade(engine, name, before=self._keep_before)
            else:
                require_version(engine, name)
        except Exception:
            engine.dispose()
            raise
        return Database(engine, name, reads_in_place=True)


_SOUND = "ok"


class PageCheck:
    """Reads every page of the database. Takes as long as reading the file, and can be stopped."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._reading: DriverConnection | None = None
        self._stopped = False

    def run(self) -> None:
        """Return if the file is sound or the check was stopped. Skips database servers. Blocking.

        Raises DatabaseDamagedError, or another DatabaseError if the file can't be read.
        """
        if self._database.engine.dialect.name != "sqlite":
            return
        try:
            verdict = self._database.read_now(self._look)
        except OperationalError:
            if not self._stopped:
                raise
        else:
            if verdict != _SOUND and not self._stopped:
                self._complain(verdict)

    def stop(self) -> None:
        """Stop the check, even before it starts. Thread-safe."""
        with self._lock:
            self._stopped = True
            if self._reading is not None:
                self._reading.interrupt()

    def _look(self, connection: Connection) -> str:
        with self._lock:
            if self._stopped:
                return _SOUND
            self._reading = connection.connection.driver_connection
        try:
            return str(connection.scalar(text("PRAGMA quick_check(1)")))
        finally:
            with self._lock:
                self._reading = None

    def _complain(self, finding: str) -> NoReturn:
        _log.error("the database is damaged", finding=finding)
        raise DatabaseDamagedError(
            f"{self._database.name} is damaged. Restore it from a backup, and keep the damaged file "
            "until then. Uploaded files are kept."
        )
