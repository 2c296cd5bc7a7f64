"""The data folder: which file of the service lies where."""

from dataclasses import dataclass
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
    def media(self) -> Path:
        return self.root / "media"

    @property
    def tls(self) -> Path:
        return self.root / "tls"

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
