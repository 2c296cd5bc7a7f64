"""Where the bytes of media lie: behind a protocol, and as files in a folder."""

import errno
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

from app.database import DiskFullError
from app.service.store.private_files import private_folder

PART_SUFFIX: Final = ".part"
PART_LIFETIME: Final = timedelta(days=1)
"""How long a file on its way is left alone: longer than any upload may take."""

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_FULL: Final = "The media folder's disk is full. Free some space; nothing that was stored is lost."
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_FLUSH_EVERY: Final = 32 * 1024 * 1024
"""Bytes after which the disk is made to follow, so that the flush at the end has little left to do."""


class Incoming(Protocol):
    """Bytes on their way into the store; nobody sees them before they are kept. Blocking, for one thread."""

    @property
    def size(self) -> int:
        """Bytes written so far."""

    def write(self, chunk: bytes | bytearray) -> None:
        """Appends bytes. Raises DiskFullError or OSError."""

    def finish(self) -> str:
        """Makes what was written durable; gives its SHA-256, in hexadecimal. Raises like ``write``."""

    def keep(self, storage_path: str) -> None:
        """Puts the bytes in their place at once and durably. Raises OSError."""

    def abandon(self) -> None:
        """Lets go of bytes that were not kept; after ``keep`` it does nothing."""


class MediaStore(Protocol):
    """The bytes of stored media, by storage path. Blocking; for any thread and any number of processes."""

    def begin(self, storage_path: str) -> Incoming:
        """Begins to take in the bytes of a path. Raises OSError."""

    def locate(self, storage_path: str) -> Path:
        """The file of a path, whether it is there or not. Raises ValueError for a path outside the store."""

    def remove(self, storage_path: str) -> None:
        """Removes the bytes; what is gone already stays gone. Raises OSError."""

    def paths(self) -> Iterator[str]:
        """The storage path of everything that is there, whole or not known to be in use."""

    def clear_parts(self, now: datetime) -> int:
        """Removes what was left of uploads that ended a day ago or longer; gives how many."""


class LocalMediaStore:
    """Files below a folder: one folder for each account, nothing open to others."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def begin(self, storage_path: str) -> "IncomingFile":
        final = self.locate(storage_path)
        private_folder(final.parent)
        return IncomingFile(self, final.with_name(f"{final.name}.{secrets.token_hex(4)}{PART_SUFFIX}"))

    def locate(self, storage_path: str) -> Path:
        folder, slash, name = storage_path.partition("/")
        if not slash or not _is_plain(folder) or not _is_plain(name):
            raise ValueError("a storage path is an account and a name")
        return self.root / folder / name

    def remove(self, storage_path: str) -> None:
        self.locate(storage_path).unlink(missing_ok=True)

    def paths(self) -> Iterator[str]:
        for file in self._files():
            if file.suffix != PART_SUFFIX:
                yield f"{file.parent.name}/{file.name}"

    def clear_parts(self, now: datetime) -> int:
        oldest = (now - PART_LIFETIME).timestamp()
        parts = [file for file in self._files() if file.suffix == PART_SUFFIX and _changed_at(file) < oldest]
        for part in parts:
            part.unlink(missing_ok=True)
        return len(parts)

    def _files(self) -> Iterator[Path]:
        """Every file; the accounts' folders are read one after the other, however many there are."""
        if self.root.is_dir():
            for folder in self.root.iterdir():
                if folder.is_dir() and not folder.is_symlink():
                    yield from (file for file in folder.iterdir() if file.is_file())


class IncomingFile:
    """A ``.part`` file beside the place that it will have."""

    def __init__(self, store: LocalMediaStore, part: Path) -> None:
        self.size = 0
        self._store = store
        self._part = part
        self._digest = hashlib.sha256()
        self._unflushed = 0
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

    def keep(self, storage_path: str) -> None:
        final = self._store.locate(storage_path)
        self._part.replace(final)
        _sync_folder(final.parent)

    def abandon(self) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)

    def _flush(self) -> None:
        with _room_on_disk():
            os.fsync(self._file.fileno())
        self._unflushed = 0


def _sync_folder(folder: Path) -> None:
    """Makes a rename durable, where folders can be opened."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_plain(part: str) -> bool:
    return part not in {"", ".", ".."} and not any(character in part for character in "/\\\0")


def _changed_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:  # somebody else has just finished with it
        return float("inf")


@contextmanager
def _room_on_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise DiskFullError(_FULL) from error
        raise
