"""Files that only their owner may read, written whole or not at all."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

_OWNER_ONLY = 0o600
_OWNER_ONLY_FOLDER = 0o700


def private_folder(path: Path) -> Path:
    """Makes the folder when it is missing, closed to others. Raises OSError."""
    path.mkdir(mode=_OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
    return path


def write_private(path: Path, content: bytes) -> None:
    """Replaces a file by one with mode 0600; a crash leaves the old one or the new one. Raises OSError."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def read_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    """The file's content; a missing one is made first. Raises OSError."""
    if not path.exists():
        private_folder(path.parent)
        write_private(path, make())
    return path.read_bytes()
