"""Files that only their owner may read, written whole or not at all."""

import errno
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from app.disk.folders import flush_folder
from app.disk.moving import replace

_OWNER_ONLY = 0o600
_OWNER_ONLY_FOLDER = 0o700


def private_folder(path: Path) -> Path:
    """Makes the folder when it is missing, closed to others. Raises OSError."""
    path.mkdir(mode=_OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
    return path


def write_private(path: Path, content: bytes) -> None:
    """Replaces a file by one with mode 0600; a crash leaves the old one or the new one. Raises OSError.

    When it returns, a power cut doesn't bring the old one back.
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
    """Renames a file that must not be lost; gives its new name, or None when there is no such file.

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
    """The file's content; a missing one is made first. Raises OSError."""
    if not path.exists():
        private_folder(path.parent)
        write_private(path, make())
    return path.read_bytes()
