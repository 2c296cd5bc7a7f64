"""Replacing, moving and writing files, also private ones, while other programs use them.

Windows refuses while the file, or any file in the folder, is open. Virus scanners, search indexers and
backups only open files briefly, so these functions retry for a while. They block: don't call them on an event
loop. They only use the standard library.
"""

import errno
import os
import secrets
import time
from collections.abc import Callable
from io import BufferedWriter
from pathlib import Path
from typing import Final


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries to disk after creating, renaming or removing files. Raises OSError.

    Windows neither needs nor allows this.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_IN_USE: Final = frozenset({5, 32, 33})
"""Windows error codes: ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION."""
PAUSES_S: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Delays between retries, in s."""

Rename = Callable[[Path, Path], None]


def replace(file: Path, target: Path, rename: Rename = os.replace) -> None:
    """Rename a file, replacing the target. Raises OSError.

    Args:
        file: The file to rename.
        target: Its new path, on the same disk.
        rename: Function that renames, for tests of systems that refuse.
    """
    _patiently(rename, file, target)


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file's content; a crash or an error leaves the old one or the new one. Raises OSError."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def move(path: Path, to: Path, rename: Rename = os.rename) -> None:
    """Rename a file or folder to an unused path. Raises OSError.

    If the path is in use, Windows refuses, but other systems replace a file: check first.
    """
    _patiently(rename, path, to)


def _patiently(rename: Rename, path: Path, to: Path) -> None:
    for pause in PAUSES_S:
        try:
            rename(path, to)
        except OSError as error:
            if getattr(error, "winerror", None) not in _IN_USE:
                raise
        else:
            return
        time.sleep(pause)
    rename(path, to)


_OWNER_ONLY = 0o600
_OWNER_ONLY_FOLDER = 0o700


def private_folder(path: Path) -> Path:
    """Create a private folder unless it exists. Raises OSError."""
    path.mkdir(mode=_OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
    return path


def open_private(path: Path) -> BufferedWriter:
    """Open a file for writing from its beginning; a new one gets mode 0600. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY)
    return os.fdopen(descriptor, "wb")


def write_private(path: Path, content: bytes) -> None:
    """Write a file with mode 0600; a crash leaves the old or the new content. Raises OSError.

    On return, the new content survives a power failure.
    """
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        replace(draft, path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def set_aside(path: Path) -> Path | None:
    """Rename a file that must not be lost; return its new path, or None if it doesn't exist.

    Raises OSError.
    """
    if not path.exists():
        return None
    for number in range(1, 10_000):
        aside = path.with_name(f"{path.name}.before-{number}")
        if not aside.exists():
            replace(path, aside)
            flush_folder(path.parent)
            return aside
    raise FileExistsError(errno.EEXIST, "too many files were set aside", str(path))


def read_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    """Return the file's content, creating a missing file first. Raises OSError."""
    if not path.exists():
        private_folder(path.parent)
        write_private(path, make())
    return path.read_bytes()
