"""Encryption of secrets in rows, and its keys, in files that only their owner can read."""

import secrets
from pathlib import Path
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.disk import read_or_make
from app.service.store.folder import DataFolder

KEY_BYTES: Final = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16
SEALED_BYTES_MIN: Final = _NONCE_BYTES + _TAG_BYTES
"""Length of an encrypted empty secret."""


class SealBrokenError(Exception):
    """A secret can't be decrypted: wrong key, wrong row, or damaged."""


class Seal:
    """Encrypts secrets with AES-256-GCM, with the row's id as associated data.

    The result is the nonce (12 bytes), followed by the ciphertext with its tag.
    """

    def __init__(self, key: bytes) -> None:
        """``key`` has 32 bytes. Raises ValueError for any other length."""
        if len(key) != KEY_BYTES:
            raise ValueError(f"the key must have {KEY_BYTES} bytes")
        self._cipher = AESGCM(key)

    def close(self, secret: str, row: UUID) -> bytes:
        """Encrypt ``secret`` for the row with this id."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret.encode(), row.bytes)

    def open(self, sealed: bytes, row: UUID) -> str:
        """Decrypt a secret. Raises SealBrokenError if it wasn't encrypted with this key for this row."""
        nonce, ciphertext = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, ciphertext, row.bytes).decode()
        except (InvalidTag, ValueError) as error:
            raise SealBrokenError(
                "a stored secret can't be decrypted with this installation's key"
            ) from error


def open_seal(folder: DataFolder) -> Seal:
    """Return the seal for tokens, creating a missing key. Blocking. Raises OSError."""
    return Seal(secret(folder.seal_key))


def secret(path: Path) -> bytes:
    """Return a key of 32 bytes, creating it if missing. Blocking. Raises OSError."""
    return read_or_make(path, lambda: secrets.token_bytes(KEY_BYTES))
