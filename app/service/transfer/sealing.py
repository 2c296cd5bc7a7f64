"""Encryption of an export's secrets with a passphrase."""

import secrets
import threading
from base64 import b64encode
from typing import Annotated, Final, Literal, Self
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field

from app.service.problems import CommandProblem

PASSPHRASE_MIN: Final = 12
"""Shortest passphrase, in characters."""
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_CHECK: Final = "kalends-export"
_deriving = threading.Lock()
"""Held while a key is derived, so that accounts arriving together don't use its memory several times."""


class Sealing(BaseModel):
    """How the secrets of an export are encrypted: AES-256-GCM, with a key by Argon2id.

    Attributes:
        salt: 16 random bytes.
        memory_kib: Memory of Argon2id, in KiB; ``iterations`` and ``lanes`` are its other parameters, those
            of the second recommended option of RFC 9106. Every export has these: one with
            others could exhaust this computer's memory.
        check: A known text, encrypted like the secrets, that shows whether a passphrase is right.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kdf: Literal["argon2id"] = "argon2id"
    cipher: Literal["aes-256-gcm"] = "aes-256-gcm"
    salt: Annotated[Base64Bytes, Field(min_length=_SALT_BYTES, max_length=_SALT_BYTES)]
    memory_kib: Literal[65_536] = 65_536
    iterations: Literal[3] = 3
    lanes: Literal[4] = 4
    check: Annotated[Base64Bytes, Field(max_length=200)]


class ExportSeal:
    """Encrypts and decrypts secrets of one export."""

    def __init__(self, sealing: Sealing, key: bytes, export_id: UUID) -> None:
        self.sealing = sealing
        self._cipher = AESGCM(key)
        self._export = export_id.bytes

    @classmethod
    def new(cls, passphrase: str, export_id: UUID) -> Self:
        """Return a seal for a new export. Takes about 0.2 s. Raises CommandProblem for a short passphrase."""
        if len(passphrase) < PASSPHRASE_MIN:
            raise CommandProblem(f"Choose a passphrase of at least {PASSPHRASE_MIN} characters.")
        blank = Sealing(salt=b64encode(secrets.token_bytes(_SALT_BYTES)), check=b"")
        seal = cls(blank, _key(blank, passphrase), export_id)
        seal.sealing = blank.model_copy(update={"check": seal.close(_CHECK, "check")})
        return seal

    @classmethod
    def of(cls, sealing: Sealing, passphrase: str, export_id: UUID) -> Self:
        """Return the seal of an export. Raises CommandProblem for a wrong passphrase."""
        seal = cls(sealing, _key(sealing, passphrase), export_id)
        try:
            seal.open(sealing.check, "check")
        except InvalidTag:
            raise CommandProblem("The passphrase isn't the one of this export. Try again.") from None
        return seal

    def close(self, secret: str, place: str) -> bytes:
        """Encrypt a secret for one place in this export."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret.encode(), self._export + place.encode())

    def open(self, sealed: bytes, place: str) -> str:
        """Decrypt a secret. Raises InvalidTag or ValueError for bytes that weren't encrypted for it."""
        nonce, ciphertext = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        return self._cipher.decrypt(nonce, ciphertext, self._export + place.encode()).decode()


def _key(sealing: Sealing, passphrase: str) -> bytes:
    derivation = Argon2id(
        salt=sealing.salt,
        length=_KEY_BYTES,
        iterations=sealing.iterations,
        lanes=sealing.lanes,
        memory_cost=sealing.memory_kib,
    )
    with _deriving:
        return derivation.derive(passphrase.encode())
