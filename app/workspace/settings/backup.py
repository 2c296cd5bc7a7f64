"""Makes a backup, one file, while app and service run; defines its format. Blocking; for threads."""

import errno
import hashlib
import os
import re
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Literal
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from pydantic import AwareDatetime, BaseModel, Field

from app.disk import replace
from app.language import data_size, tr
from app.workspace import foreign_texts
from app.workspace.homes import Home, Homes
from app.workspace.messages import Problem

MANIFEST: Final = "manifest.json"
HOMES: Final = "homes.json"
KEPT_APART: Final = ("service/secrets", "service/tls", "service/service.toml", "practice")
"""Files that aren't in backups; a calendar restored on its own computer keeps them."""
SQLITE_HEAD: Final = b"SQLite format 3\0"

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_DATABASE: Final = re.compile(rf"homes/{_UUID}/(?:workspace\.db|service/service\.db)")
_FILE: Final = re.compile(rf"homes/{_UUID}/(?:workspace\.kept\.json|(?:workspace\.copies|service/media)/.+)")
_PART: Final = re.compile(r"(?!\.{1,2}$)[^/\\:\x00-\x1f\x7f]{1,255}")
Told = Callable[[int, int], None]
"""Called with the bytes done and the total."""
_PIECE: Final = 1024 * 1024
_MARGIN: Final = 16 * 1024 * 1024
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Kind(Enum):
    """The kind of a file in a backup, which decides how it's copied and checked."""

    LIST = "list"
    DATABASE = "database"
    FILE = "file"


class Entry(BaseModel):
    """One file: its size in bytes and its SHA-256 in hexadecimal digits."""

    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """A backup's manifest; ``calendars`` are names, ``files`` all other files in it."""

    format: Literal["kalends-backup"] = "kalends-backup"
    version: Literal[1] = 1
    made_at: AwareDatetime
    calendars: list[str]
    files: dict[str, Entry]

    @property
    def size(self) -> int:
        """Total size of all files in bytes."""
        return sum(entry.size for entry in self.files.values())


def kind_of(name: str) -> Kind | None:
    """Return the kind of a file by its name in the backup; None if it doesn't belong there."""
    if name == HOMES:
        return Kind.LIST
    if not all(_PART.fullmatch(part) for part in name.split("/")):
        return None
    if _DATABASE.fullmatch(name):
        return Kind.DATABASE
    return Kind.FILE if _FILE.fullmatch(name) else None


def files_to_keep(data: Path, homes: Iterable[Home]) -> dict[str, Path]:
    """Return the files of these homes that belong in a backup, by their names in it. Blocking.

    Other folders are left from calendars that were never completed. Databases come first, so that every
    file a copy refers to existed when it was copied.
    """
    found = {
        path.relative_to(data).as_posix(): path
        for home in homes
        for path in sorted((data / "homes" / str(home.id)).glob("**/*"))
        if path.is_file() and not path.is_symlink()
    }
    kinds = {name: kind for name in found if (kind := kind_of(name)) is not None}
    names = sorted(kinds, key=lambda name: (kinds[name] is not Kind.DATABASE, name))
    return {name: found[name] for name in names if PurePosixPath(name).suffix != ".part"}


class StoppedError(Exception):
    """The user cancelled the operation."""


def back_up(homes: Homes, to: Path, told: Told, stop: threading.Event) -> Manifest:
    """Write a backup to ``to`` and return its manifest.

    Raises Problem, of the kind disk_full if the disk is full, or StoppedError; ``to`` is then unchanged.
    """
    part = to.with_name(f"{to.name}.part")
    try:
        with tempfile.TemporaryDirectory(prefix=".kalends-backup-", dir=to.parent) as folder:
            writing = _Writing(homes, Path(folder), told, stop)
            _require_room(to, writing.total)
            manifest = writing.write(part)
        _flush(part)
        replace(part, to)
    except (OSError, sqlite3.Error) as error:
        _remove(part)
        raise _problem(to, error) from error
    except BaseException:
        _remove(part)
        raise
    return manifest


class _Writing:
    """One backup in progress; ``folder`` is for the copy of one database at a time."""

    def __init__(self, homes: Homes, folder: Path, told: Told, stop: threading.Event) -> None:
        self._folder, self._told, self._stop = folder, told, stop
        self._homes, self._listed = homes.all(), homes.listing()
        self._files = files_to_keep(homes.data, self._homes)
        self.total = sum(_size(path) for path in self._files.values())
        self._done = 0
        self._entries: dict[str, Entry] = {}

    def write(self, part: Path) -> Manifest:
        with ZipFile(part, "w", ZIP_DEFLATED, allowZip64=True) as archive:
            for name, path in self._files.items():
                if kind_of(name) is Kind.DATABASE:
                    self._add_database(archive, name, path)
                else:
                    with suppress(FileNotFoundError):  # deleted in the meantime: then nothing needs it
                        self._add(archive, name, path, ZIP_STORED)
            digest = hashlib.sha256(self._listed).hexdigest()
            self._entries[HOMES] = Entry(size=len(self._listed), sha256=digest)
            archive.writestr(HOMES, self._listed)
            names = [home.name for home in self._homes]
            manifest = Manifest(made_at=datetime.now(UTC), calendars=names, files=self._entries)
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
        return manifest

    def _add_database(self, archive: ZipFile, name: str, path: Path) -> None:
        """SQLite copies a consistent snapshot while others continue writing."""
        copy = self._folder / "copy.db"
        try:
            with (
                closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=30)) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
                target.execute("PRAGMA journal_mode=DELETE").fetchone()
            self._add(archive, name, copy, ZIP_DEFLATED)
        finally:
            copy.unlink(missing_ok=True)

    def _add(self, archive: ZipFile, name: str, path: Path, compression: int) -> None:
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as file:
            info = ZipInfo(name, datetime.now(UTC).timetuple()[:6])
            info.compress_type = compression
            with archive.open(info, "w", force_zip64=True) as out:
                while piece := file.read(_PIECE):
                    if self._stop.is_set():
                        raise StoppedError
                    out.write(piece)
                    digest.update(piece)
                    size += len(piece)
                    self._done += len(piece)
                    self._told(min(self._done, self.total), self.total)
        self._entries[name] = Entry(size=size, sha256=digest.hexdigest())


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _require_room(to: Path, total: int) -> None:
    """Check the free space before writing anything, including room for a temporary copy of a database."""
    free = shutil.disk_usage(to.parent).free
    if free < total + _MARGIN:
        why = tr("about {needed} needed, {free} free", needed=data_size(total), free=data_size(free))
        raise _no_room(to, why)


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _problem(to: Path, error: OSError | sqlite3.Error) -> Problem:
    if isinstance(error, OSError) and error.errno in _FULL:
        return _no_room(to, tr("the disk is full"))
    if isinstance(error, sqlite3.Error):
        text = tr("Couldn't copy a database. Nothing was written. Try again in a moment.")
        return Problem(text, details=str(error))
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        text = tr("Kalends can't write to {parent}. Choose another folder.", parent=to.parent)
        return Problem(text, details=str(error), kind="read_only")
    return Problem(
        tr(
            "Couldn't write the backup to {parent}: {reason}. Choose another folder.",
            parent=to.parent,
            reason=foreign_texts.why(error),
        ),
        details=str(error),
    )


def _no_room(to: Path, why: str) -> Problem:
    return Problem(
        tr(
            "Not enough space for the backup in {parent}: {why}. Nothing was left there. "
            "Free up space or choose another disk.",
            parent=to.parent,
            why=why,
        ),
        kind="disk_full",
    )
