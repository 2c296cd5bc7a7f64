"""Installations: the settings, database, keys and files of a service.

Embedded, one data folder contains everything, and one process uses it at a time. On a server, a settings file
names a PostgreSQL database, shared by any number of processes, and a folder for keys and files.
"""

import contextlib
import json
import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import structlog
from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, Engine, text

from app.database import Database
from app.database.migrations import change_schema
from app.database.postgresql import postgresql_engine, postgresql_url
from app.disk import private_folder, write_private
from app.network import Way
from app.service.clock import system_clock
from app.service.problems import CommandProblem, FolderInUseProblem
from app.service.seal_key import check_key
from app.service.settings import Settings, read_settings, way_by
from app.service.store.folder import MIGRATIONS, DataFolder, require_version, works_with
from app.service.store.journal import outside
from app.service.store.marks import keep_oldest_usable

_log = structlog.get_logger(__name__)

_READERS: Final = 4
_TRY_AGAIN_S: Final = 0.05
_FINISH_UPDATE: Final = text("SELECT finish_update()")


class Installation(ABC):
    """What every command works on.

    Attributes:
        folder: Folder with keys, certificates and files.
        alone: Whether only one process at a time can use it.
    """

    folder: DataFolder
    alone: bool

    @property
    @abstractmethod
    def settings_file(self) -> Path:
        """The settings file, existing or not."""

    def way(self) -> Way:
        """Return how to connect to other hosts, by the settings. Blocking. Raises CommandProblem."""
        return way_by(self.settings.proxy, self.settings_file.parent)

    @property
    @abstractmethod
    def settings(self) -> Settings:
        """The settings, read once. Raises CommandProblem."""

    @abstractmethod
    def require(self) -> None:
        """Raise CommandProblem if the installation doesn't exist yet."""

    @abstractmethod
    def open_database(self, *, migrate: bool = True) -> Database:
        """Open the database and migrate it to the newest version. Blocking.

        Without ``migrate``, or if a server's settings say so, the database must be migrated already.

        Raises CommandProblem or DatabaseError.
        """

    @abstractmethod
    def migrate(self) -> tuple[str, str]:
        """Migrate the database; return its versions before and after. Blocking.

        Raises CommandProblem or DatabaseError.
        """

    @abstractmethod
    def finish_update(self) -> None:
        """Remove what only programs of earlier versions need, which can't start any more. Blocking.

        Call this after ``migrate``, when none of them runs any more. Raises DatabaseError.
        """

    @abstractmethod
    def held(self, patience_s: float = 0.0) -> contextlib.AbstractContextManager[None]:
        """Hold the installation, as a context manager, waiting for a process that is ending. Blocking.

        Raises FolderInUseProblem.
        """

    @contextlib.contextmanager
    def preparing(self, database: Database) -> Iterator[None]:
        """Hold a lock while creating missing keys and certificates, as a context manager. Blocking.

        Raises CommandProblem if the keys don't match the database.
        """
        with FileLock(self.folder.preparing_lock):
            check_key(self.folder, database, system_clock())
            yield

    @abstractmethod
    def announce(self, details: Mapping[str, Any]) -> None:
        """Tell other commands where the service is. Blocking. Raises OSError."""

    @abstractmethod
    def announced(self) -> Mapping[str, Any]:
        """Return what the running service announced; empty if none runs."""


class EmbeddedInstallation(Installation):
    """A data folder with SQLite."""

    alone = True

    def __init__(self, root: Path) -> None:
        self.folder = DataFolder(root)

    @cached_property
    def settings(self) -> Settings:
        settings = read_settings(self.folder.settings)
        if settings.server is not None:
            raise CommandProblem(
                f"The settings file {self.folder.settings} is a server's. Name it with --config instead."
            )
        return settings

    @property
    def settings_file(self) -> Path:
        return self.folder.settings

    def require(self) -> None:
        """Require the database, so that a mistyped folder doesn't become an installation."""
        if not self.folder.database.exists():
            raise CommandProblem(f"There is no service in the folder {self.folder.root}. Check --data.")

    def open_database(self, *, migrate: bool = True) -> Database:
        return self.folder.open_database(migrate=migrate)

    def migrate(self) -> tuple[str, str]:
        """Migrate the database while no service uses the folder."""
        with self.held():
            before = self.folder.database_version()
            self.open_database().close()
        return before, MIGRATIONS.newest

    def finish_update(self) -> None:
        """Nothing to do: only one program at a time uses the folder."""

    @contextlib.contextmanager
    def held(self, patience_s: float = 0.0) -> Iterator[None]:
        """Hold the folder's locks, which the system releases if the process dies."""
        self.folder.make()
        until = time.monotonic() + patience_s
        with contextlib.ExitStack() as locks:
            while True:
                try:
                    locks.enter_context(self._locked())
                    break
                except Timeout:
                    if time.monotonic() >= until:
                        raise FolderInUseProblem(self._taken()) from None
                    time.sleep(_TRY_AGAIN_S)
            self.folder.running.unlink(missing_ok=True)  # left by a process that died
            try:
                yield
            finally:
                self.folder.running.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold all three locks. Raises Timeout if another process has one of them."""
        with FileLock(self.folder.lock, timeout=0), self._path_locked(), self._folder_locked():
            yield

    @contextlib.contextmanager
    def _path_locked(self) -> Iterator[None]:
        """Hold a lock outside the folder, which still works if the folder of a running service is replaced.

        Raises Timeout.
        """
        lock = FileLock(outside(self.folder.root).with_suffix(".lock"), timeout=0)
        try:
            private_folder(Path(lock.lock_file).parent)
            lock.acquire()
        except OSError as error:
            if isinstance(error, Timeout):
                raise
            _log.info("no lock can be created outside the data folder", reason=error.strerror)
        try:
            yield
        finally:
            lock.release()

    @contextlib.contextmanager
    def _folder_locked(self) -> Iterator[None]:
        """Lock the folder itself, which still works if the lock file is deleted. Raises Timeout.

        The database file can't be used for this: closing another descriptor of it ends SQLite's own locks.
        Windows can't lock folders, but doesn't delete open files either.
        """
        if sys.platform == "win32":
            yield
        else:
            import fcntl

            descriptor = os.open(self.folder.root, os.O_RDONLY)
            try:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise Timeout(str(self.folder.root)) from None
                except OSError as error:  # some network file systems can't lock folders
                    _log.info("the data folder itself can't be locked", reason=error.strerror)
                yield
            finally:
                os.close(descriptor)

    def announce(self, details: Mapping[str, Any]) -> None:
        write_private(self.folder.running, json.dumps(details).encode())

    def announced(self) -> Mapping[str, Any]:
        try:
            details = json.loads(self.folder.running.read_bytes())
        except (OSError, ValueError):
            return {}
        return details if isinstance(details, dict) else {}

    def _taken(self) -> str:
        running = self.announced()
        holder = "another process, possibly one that is starting or ending"
        if "pid" in running and "base_url" in running:
            holder = f"process {running['pid']} at {running['base_url']}"
        return (
            f"The data folder {self.folder.root} is in use by {holder}. Use that one, or end it first: "
            "a data folder has one process, a server as many as it needs (--config)."
        )


class ServerInstallation(Installation):
    """A PostgreSQL database shared by processes on one or more machines."""

    alone = False

    def __init__(self, config: Path, database_url: str | None = None) -> None:
        """Read the settings. Raises CommandProblem or DatabaseError.

        Args:
            config: The settings file.
            database_url: Address of the database, overriding the file.
        """
        if not config.is_file():
            raise CommandProblem(f"There is no settings file {config}. Check --config.")
        self._settings = read_settings(config)
        server = self._settings.server
        named = server.database_url.get_secret_value() if server and server.database_url else None
        self._url = _required_url(database_url, named, config)
        self._config = config
        root = server.folder if server and server.folder else Path()
        self.folder = DataFolder(Path(os.path.abspath(config.parent / root)))  # noqa: PTH100  the file need not be there

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def settings_file(self) -> Path:
        return self._config

    def require(self) -> None:
        """Nothing to check: opening a missing database fails."""

    def open_database(self, *, migrate: bool = True) -> Database:
        engine = self._engine()
        server = self._settings.server
        try:
            if migrate and (server is None or server.migrate_at_start):
                self._upgrade(engine)
            else:
                require_version(engine, self._name)
        except Exception:
            engine.dispose()
            raise
        return Database(engine, self._name)

    def migrate(self) -> tuple[str, str]:
        """Migrate the database while programs of this and the previous version use it."""
        engine = self._engine()
        try:
            before = MIGRATIONS.version(engine, self._name)
            self._upgrade(engine)
            return before, MIGRATIONS.version(engine, self._name)
        finally:
            engine.dispose()

    def finish_update(self) -> None:
        def work(rows: Connection) -> None:
            rows.execute(_FINISH_UPDATE)
            keep_oldest_usable(rows, MIGRATIONS.newest)

        engine = self._engine()
        try:
            change_schema(engine, self._name, work)
        finally:
            engine.dispose()

    @property
    def _name(self) -> str:
        return f"The database {self._url.database or 'of the service'} on {self._url.host or 'its server'}"

    def _engine(self) -> Engine:
        engine = postgresql_engine(self._url, readers=_READERS)
        engine.hide_parameters = True  # keeps user content out of error messages and logs
        return engine

    def _upgrade(self, engine: Engine) -> None:
        MIGRATIONS.upgrade(engine, self._name, works_with=works_with, after=keep_oldest_usable)

    def held(self, patience_s: float = 0.0) -> contextlib.AbstractContextManager[None]:
        del patience_s  # several processes may use it
        self.folder.make()
        return contextlib.nullcontext()  # rows are claimed one by one

    def announce(self, details: Mapping[str, Any]) -> None:
        """Nothing to do: the settings contain the service's address."""

    def announced(self) -> Mapping[str, Any]:
        return {}


def _required_url(given: str | None, named: str | None, config: Path) -> URL:
    if given is not None and postgresql_url(given).password is not None:
        raise CommandProblem(
            "Don't put a password on the command line, where others can read it. Put it into .pgpass, "
            "into a file that passfile=FILE in the address names, or into database_url in the settings file."
        )
    url = given or named
    if url is None:
        raise CommandProblem(
            f"No database is set: write database_url under [server] in {config}, or use --database-url."
        )
    return postgresql_url(url)
