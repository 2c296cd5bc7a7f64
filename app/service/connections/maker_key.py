"""The key that signs this installation's setup packs, in an encrypted file of the data folder."""

import base64
import secrets
from pathlib import Path
from typing import Final
from uuid import UUID

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.disk import read_or_make, set_aside
from app.service.store.seal import Seal, SealBrokenError

_log = structlog.get_logger(__name__)

PACK_KEY_ROW: Final = UUID("0c0f2f0e-7f0b-4a52-9d0a-3e8c5b7f5a21")
"""Context for encrypting the file, of which there is only one."""
_SEED_BYTES: Final = 32


class MakerKey:
    """The key, created for the first pack."""

    def __init__(self, path: Path, seal: Seal) -> None:
        self._path, self._seal = path, seal

    def open(self) -> Ed25519PrivateKey:
        """Return the key. Blocking. Raises OSError.

        A file that can't be decrypted is set aside and replaced. Members then see another fingerprint.
        """
        try:
            return self._read(read_or_make(self._path, self._made))
        except (SealBrokenError, ValueError) as error:
            _log.warning("the key for setup packs can't be read and is replaced", reason=type(error).__name__)
            set_aside(self._path)
            return self._read(read_or_make(self._path, self._made))

    def existing(self) -> Ed25519PrivateKey | None:
        """Return the key if there is a usable one. Blocking. Raises OSError."""
        try:
            return self._read(self._path.read_bytes())
        except (FileNotFoundError, SealBrokenError, ValueError):
            return None

    def _made(self) -> bytes:
        seed = base64.b64encode(secrets.token_bytes(_SEED_BYTES)).decode("ascii")
        return self._seal.close(seed, PACK_KEY_ROW)

    def _read(self, sealed: bytes) -> Ed25519PrivateKey:
        seed = self._seal.open(sealed, PACK_KEY_ROW)
        return Ed25519PrivateKey.from_private_bytes(base64.b64decode(seed))
