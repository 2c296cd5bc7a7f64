"""The media store in a folder."""

import asyncio
import errno
import hashlib
import os
import secrets
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from app.database import DiskFullError
from app.disk import flush_folder, move, private_folder, replace
from app.service.media.stores import PART_LIFETIME, Chunks, Place
from app.service.threads import begun, ended, in_thread

PART_SUFFIX: Final = ".part"
QUARANTINE: Final = ".strays"
"""Folder in the media folder, with a folder per day, which contains folders per account."""
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_FULL: Final = "The media folder's disk is full. Free some space; nothing that was stored is lost."
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_FLUSH_EVERY: Final = 32 * 1024 * 1024
"""How many bytes to write between flushes, so that the last flush is short."""

_CHUNK: Final = 1024 * 1024


class LocalMediaStore:
    """Stores files in a private folder, with a subfolder per account."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()  # absolute, because helpers have a different working directory

    def begin(self, storage_path: str) -> "IncomingFile":
        final = self.locate(storage_path)
        private_folder(final.parent)
        return IncomingFile(self, final.with_name(f"{final.name}.{secrets.token_hex(4)}{PART_SUFFIX}"))

    def locate(self, storage_path: str) -> Path:
        """Return the path of a file, which needn't exist. Raises ValueError if it's outside the store."""
        folder, slash, name = storage_path.partition("/")
        if not slash or not _is_plain(folder) or not _is_plain(name):
            raise ValueError("a storage path is an account and a name")
        return self.root / folder / name

    def file(self, place: Place) -> Path:
        return self.locate(place.storage_path)

    @asynccontextmanager
    async def open_at(self, place: Place, first: int, size: int | None = None) -> AsyncIterator[Chunks]:
        opening = begun(self._open, place)
        try:
            file = await ended(opening)
            await in_thread(file.seek, first)
            yield _chunks(file, size)
        finally:
            if opening.exception() is None:
                await in_thread(opening.result().close)

    @contextmanager
    def lent(self, place: Place) -> Iterator[Path]:
        if self.missing([place]):
            self.take_back(place)
        yield self.file(place)

    def link(self, place: Place, content_type: str, lifetime: timedelta, name: str = "") -> None:
        """Return None: only the service can serve these files."""

    def remove(self, place: Place) -> None:
        self.file(place).unlink(missing_ok=True)
        for day in self._days():
            self._aside(place, day).unlink(missing_ok=True)

    def held(self, now: datetime) -> Iterator[tuple[Place, bool]]:
        """Files are settled after a day. Their row was written first, but possibly to a newer database."""
        oldest = (now - PART_LIFETIME).timestamp()
        for file in self._files(self.root):
            if file.suffix != PART_SUFFIX:
                yield _place_of(file), _changed_at(file) < oldest

    def missing(self, places: Sequence[Place]) -> list[Place]:
        return [place for place in places if place.object_key is None and not self.file(place).exists()]

    def set_aside(self, place: Place, now: datetime) -> None:
        aside = self._aside(place, now.date().isoformat())
        if not aside.exists():  # never overwrite: tomorrow has another folder
            private_folder(aside.parent)
            _move(self.file(place), aside)

    def in_quarantine(self) -> Iterator[tuple[Place, date]]:
        for day in self._days():
            for file in self._files(self.root / QUARANTINE / day):
                yield _place_of(file), date.fromisoformat(day)

    def take_back(self, place: Place) -> bool:
        file = self.file(place)
        for day in self._days():
            aside = self._aside(place, day)
            if aside.exists() and not file.exists():
                private_folder(file.parent)
                return _move(aside, file)
        return False

    def purge(self, place: Place, day: date) -> None:
        aside = self._aside(place, day.isoformat())
        aside.unlink(missing_ok=True)
        for folder in (aside.parent, aside.parent.parent):
            with suppress(OSError):  # not empty yet
                folder.rmdir()

    def clear_parts(self, now: datetime) -> int:
        oldest = (now - PART_LIFETIME).timestamp()
        files = self._files(self.root)
        parts = [file for file in files if file.suffix == PART_SUFFIX and _changed_at(file) < oldest]
        for part in parts:
            part.unlink(missing_ok=True)
        return len(parts)

    def _open(self, place: Place) -> BinaryIO:
        try:
            return self.file(place).open("rb")
        except FileNotFoundError:
            self.take_back(place)
            return self.file(place).open("rb")

    def _aside(self, place: Place, day: str) -> Path:
        file = self.file(place)
        return self.root / QUARANTINE / day / file.parent.name / file.name

    def _days(self) -> list[str]:
        """Days with files in quarantine, latest first."""
        try:
            names = [folder.name for folder in (self.root / QUARANTINE).iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(filter(_is_day, names), reverse=True)

    def _files(self, root: Path) -> Iterator[Path]:
        """Our files, reading one account's folder at a time.

        Skips other folders, hidden files, and names that aren't UTF-8, which belong to other programs
        (``lost+found``, ``.DS_Store``).
        """
        if root.is_dir():
            for folder in root.iterdir():
                if _is_account(folder.name) and folder.is_dir() and not folder.is_symlink():
                    files = (file for file in folder.iterdir() if _may_be_ours(file.name))
                    yield from (file for file in files if file.is_file())


def _may_be_ours(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # the database can't hold it either
        return False
    return not name.startswith(".")


class IncomingFile:
    """A ``.part`` file next to its final path."""

    def __init__(self, store: LocalMediaStore, part: Path) -> None:
        self.size = 0
        self._store = store
        self._part = part
        self._digest = hashlib.sha256()
        self._unflushed = 0
        self._is_kept = False
        self._file = os.fdopen(os.open(part, _NEW_FILE, 0o600), "wb", buffering=0)

    def write(self, chunk: bytes | bytearray) -> None:
        with _room_on_disk():
            rest = memoryview(chunk)
            while rest:
                rest = rest[self._file.write(rest) :]
        self._digest.update(chunk)
        self.size += len(chunk)
        self._unflushed += len(chunk)
        if self._unflushed >= _FLUSH_EVERY:
            self._flush()

    def finish(self) -> str:
        self._flush()
        self._file.close()
        return self._digest.hexdigest()

    def keep(self, storage_path: str) -> Place:
        final = self._store.locate(storage_path)
        if not self._is_kept:  # otherwise it was moved before the transaction was retried
            replace(self._part, final)
            self._is_kept = True
        flush_folder(final.parent)
        return Place(storage_path)

    def abandon(self) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)

    def _flush(self) -> None:
        with _room_on_disk():
            os.fsync(self._file.fileno())
        self._unflushed = 0


async def _chunks(file: BinaryIO, size: int | None) -> Chunks:
    left = sys.maxsize if size is None else size
    while left and (chunk := await asyncio.to_thread(file.read, min(left, _CHUNK))):
        left -= len(chunk)
        yield chunk


def _is_plain(part: str) -> bool:
    return part not in {"", ".", ".."} and not any(character in part for character in "/\\\0")


def _is_account(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False


def _is_day(name: str) -> bool:
    try:
        return date.fromisoformat(name).isoformat() == name
    except ValueError:
        return False


def _place_of(file: Path) -> Place:
    return Place(f"{file.parent.name}/{file.name}")


def _move(file: Path, to: Path) -> bool:
    """Move a file; False if another process already has."""
    try:
        move(file, to)
    except (FileNotFoundError, FileExistsError):
        return False
    flush_folder(to.parent)
    return True


def _changed_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:  # another process has just moved or deleted it
        return float("inf")


@contextmanager
def _room_on_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise DiskFullError(_FULL) from error
        raise
