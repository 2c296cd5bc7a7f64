"""Installations: where the settings, the database, the keys and the files of a service are.

Embedded, one data folder holds everything, and one process has it at a time. On a server a settings file
names a PostgreSQL database, which any number of processes share, and a folder for keys and files.
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
from sqlalchemy import URL

from app.database import Database
from app.database.postgresql import postgresql_engine, postgresql_url
from app.disk.private_files import private_folder, write_private
from app.network import Way
from app.service.clock import system_clock
from app.service.problems import CommandProblem, FolderInUseProblem
from app.service.proxy import way_by
from app.service.seal_key import check_key
from app.service.settings import Settings, read_settings
from app.service.store.folder import MIGRATIONS, DataFolder
from app.service.store.journal import outside

_log = structlog.get_logger(__name__)

_READERS: Final = 4
_TRY_AGAIN_S: Final = 0.05


class Installation(ABC):
    """What every command works on.

    Attributes:
        folder: Where keys, certificates and files are.
        alone: One process at a time works on it.
    """

    folder: DataFolder
    alone: bool

    @property
    @abstractmethod
    def settings_folder(self) -> Path:
        """Where the settings file is, or would be."""

    def way(self) -> Way:
        """How what is called is reached, by the settings. Blocking. Raises CommandProblem."""
        return way_by(self.settings.proxy, self.settings_folder)

    @property
    @abstractmethod
    def settings(self) -> Settings:
        """What it is told; read once. Raises CommandProblem."""

    @abstractmethod
    def require(self) -> None:
        """Raises CommandProblem when there is none yet."""

    @abstractmethod
    def open_database(self) -> Database:
        """The store, brought to the newest version. Blocking. Raises CommandProblem or DatabaseError."""

    @abstractmethod
    def held(self, patience_s: float = 0.0) -> contextlib.AbstractContextManager[None]:
        """Held by a process for as long as it works; another that ends is waited for. Blocking.

        Raises FolderInUseProblem.
        """

    @contextlib.contextmanager
    def preparing(self, database: Database) -> Iterator[None]:
        """Held while missing keys and certificates are made, so that two processes don't both. Blocking.

        Raises CommandProblem when the keys aren't those of the database.
        """
        with FileLock(self.folder.preparing_lock):
            check_key(self.folder, database, system_clock())
            yield

    @abstractmethod
    def announce(self, told: Mapping[str, Any]) -> None:
        """Leaves for other commands where the service is. Blocking. Raises OSError."""

    @abstractmethod
    def announced(self) -> Mapping[str, Any]:
        """What the service that runs now has told; empty where none has."""


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
    def settings_folder(self) -> Path:
        return self.folder.root

    def require(self) -> None:
        """A mistyped folder becomes no installation."""
        if not self.folder.database.exists():
            raise CommandProblem(f"There is no service in the folder {self.folder.root}. Check --data.")

    def open_database(self) -> Database:
        return self.folder.open_database()

    @contextlib.contextmanager
    def held(self, patience_s: float = 0.0) -> Iterator[None]:
        """The folder's locks; the system takes them back from a process that dies."""
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
        """All three locks. Raises Timeout where another process has one of them."""
        with FileLock(self.folder.lock, timeout=0), self._path_locked(), self._folder_locked():
            yield

    @contextlib.contextmanager
    def _path_locked(self) -> Iterator[None]:
        """A lock outside the folder: it holds when somebody replaces the folder below a running service.

        Raises Timeout.
        """
        lock = FileLock(outside(self.folder.root).with_suffix(".lock"), timeout=0)
        try:
            private_folder(Path(lock.lock_file).parent)
            lock.acquire()
        except OSError as error:
            if isinstance(error, Timeout):
                raise
            _log.info("no lock can be kept outside the data folder", reason=error.strerror)
        try:
            yield
        finally:
            lock.release()

    @contextlib.contextmanager
    def _folder_locked(self) -> Iterator[None]:
        """A lock on the folder itself: it holds when somebody deletes the lock file. Raises Timeout.

        The database file can't carry it: when another descriptor of it is closed, SQLite's own locks on it
        end. Windows locks no folders, and deletes no file that is open.
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
                except OSError as error:  # some network file systems lock no folders
                    _log.info("the data folder itself cannot be locked", reason=error.strerror)
                yield
            finally:
                os.close(descriptor)

    def announce(self, told: Mapping[str, Any]) -> None:
        write_private(self.folder.running, json.dumps(told).encode())

    def announced(self) -> Mapping[str, Any]:
        try:
            told = json.loads(self.folder.running.read_bytes())
        except (OSError, ValueError):
            return {}
        return told if isinstance(told, dict) else {}

    def _taken(self) -> str:
        told = self.announced()
        holder = "another process that works on it, or is just starting or ending"
        if "pid" in told and "base_url" in told:
            holder = f"process {told['pid']} at {told['base_url']}"
        return (
            f"The data folder {self.folder.root} is in use by {holder}. Use that one, or end it first: "
            "a data folder has one process, a server as many as it needs (--config)."
        )


class ServerInstallation(Installation):
    """A PostgreSQL database that processes share, on one machine or several."""

    alone = False

    def __init__(self, config: Path, database_url: str | None = None) -> None:
        """Reads the settings. Raises CommandProblem or DatabaseError.

        Args:
            config: The settings file.
            database_url: Where the database is, in place of what the file says.
        """
        if not config.is_file():
            raise CommandProblem(f"There is no settings file {config}. Check --config.")
        self._settings = read_settings(config)
        server = self._settings.server
        named = server.database_url.get_secret_value() if server and server.database_url else None
        self._url = _required_url(database_url, named, config)
        self._config_folder = config.parent
        root = server.folder if server and server.folder else Path()
        self.folder = DataFolder(Path(os.path.abspath(config.parent / root)))  # noqa: PTH100  the file need not be there

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def settings_folder(self) -> Path:
        return self._config_folder

    def require(self) -> None:
        """Opening the database tells whether there is one."""

    def open_database(self) -> Database:
        name = f"The database {self._url.database or 'of the service'} on {self._url.host or 'its server'}"
        engine = postgresql_engine(self._url, readers=_READERS)
        engine.hide_parameters = True  # what people wrote stays out of error messages and logs
        try:
            MIGRATIONS.upgrade(engine, name)
        except Exception:
            engine.dispose()
            raise
        return Database(engine, name)

    def held(self, patience_s: float = 0.0) -> contextlib.AbstractContextManager[None]:
        del patience_s  # nobody has it alone
        self.folder.make()
        return contextlib.nullcontext()  # rows are claimed one by one

    def announce(self, told: Mapping[str, Any]) -> None:
        """Nobody in particular: the settings say where browsers find the service."""

    def announced(self) -> Mapping[str, Any]:
        return {}


def _required_url(given: str | None, named: str | None, config: Path) -> URL:
    if given is not None and postgresql_url(given).password is not None:
        raise CommandProblem(
            "A password must not stand in a command line, where others can read it. Put it into .pgpass, "
            "into a file that passfile=FILE in the address names, or into database_url in the settings file."
        )
    url = given or named
    if url is None:
        raise CommandProblem(
            f"No database is named: write database_url under [server] in {config}, or use --database-url."
        )
    return postgresql_url(url)
