"""Files that only their owner can read, written completely or not at all."""

import errno
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from app.disk.moving import flush_folder, replace

_OWNER_ONLY = 0o600
_OWNER_ONLY_FOLDER = 0o700


def private_folder(path: Path) -> Path:
    """Create a private folder unless it exists. Raises OSError."""
    path.mkdir(mode=_OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
    return path


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
