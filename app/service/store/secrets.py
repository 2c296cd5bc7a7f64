"""The keys of an installation, each in a file that only its owner may read."""

import secrets
from pathlib import Path

from app.disk.private_files import read_or_make
from app.service.store.folder import DataFolder
from app.service.store.seal import KEY_BYTES, Seal


def open_seal(folder: DataFolder) -> Seal:
    """What tokens are sealed with; a missing key is made. Blocking. Raises OSError."""
    return Seal(secret(folder.seal_key))


def secret(path: Path) -> bytes:
    """A key of 32 bytes; a missing one is made. Blocking. Raises OSError."""
    return read_or_make(path, lambda: secrets.token_bytes(KEY_BYTES))
