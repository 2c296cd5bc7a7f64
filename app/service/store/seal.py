"""Secrets inside rows, and the keys that seal them, each in a file that only its owner may read."""

import secrets
from pathlib import Path
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.disk.private_files import read_or_make
from app.service.store.folder import DataFolder

KEY_BYTES: Final = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16
SEALED_BYTES_MIN: Final = _NONCE_BYTES + _TAG_BYTES
"""What is shorter was never sealed."""


class SealBrokenError(Exception):
    """A sealed secret does not open: another key, another row, or damage."""


class Seal:
    """AES-256-GCM with the row's id as associated data.

    A sealed secret is the nonce of 12 bytes, then the ciphertext with its tag.
    """

    def __init__(self, key: bytes) -> None:
        """``key`` has 32 bytes."""
        if len(key) != KEY_BYTES:
            raise ValueError(f"the key must have {KEY_BYTES} bytes")
        self._cipher = AESGCM(key)

    def close(self, secret: str, row: UUID) -> bytes:
        """Seals ``secret`` for the row with that id."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret.encode(), row.bytes)

    def open(self, sealed: bytes, row: UUID) -> str:
        """Raises SealBrokenError when the seal was not made with this key for this row."""
        nonce, ciphertext = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, ciphertext, row.bytes).decode()
        except (InvalidTag, ValueError) as error:
            raise SealBrokenError("a stored secret cannot be opened with this installation's key") from error


def open_seal(folder: DataFolder) -> Seal:
    """What tokens are sealed with; a missing key is made. Blocking. Raises OSError."""
    return Seal(secret(folder.seal_key))


def secret(path: Path) -> bytes:
    """A key of 32 bytes; a missing one is made. Blocking. Raises OSError."""
    return read_or_make(path, lambda: secrets.token_bytes(KEY_BYTES))
