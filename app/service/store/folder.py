"""The data folder: which file of the service lies where."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.database import Database
from app.database.engines import sqlite_engine
from app.service.problems import CommandProblem
from app.service.store.private_files import private_folder
from app.service.store.schema import MIGRATIONS


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
        """When everything here came back from a backup, in ISO 8601; absent where nothing did."""
        return self.root / "restored"

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
        name = f"The database {self.database}"
        engine = sqlite_engine(self.database, readers=5)
        engine.hide_parameters = True  # what people wrote stays out of error messages and logs
        try:
            MIGRATIONS.upgrade(engine, name)
        except Exception:
            engine.dispose()
            raise
        return Database(engine, name, reads_in_place=True)
