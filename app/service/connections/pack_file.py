"""The file format of setup packs: three lines that identify, and JSON that everybody can read.

The first line names the format, the second is the maker's public key, and the third is its signature of
everything else. Secrets in the JSON are encrypted with a key derived from a passphrase, and bound to the apps
they belong to.
"""

import base64
import binascii
import hashlib
import json
import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import TypeAdapter, ValidationError

from app.contract.enums import ConnectionPlatform
from app.contract.limits import PACK_BYTES_MAX
from app.contract.packs import PackContent, PackedApp, SealedSecrets

_FIRST_LINE: Final = b"kalends-pack 1"
_ANY_VERSION: Final = b"kalends-pack "
_CONTEXT: Final = b"kalends setup pack 1\n"
"""Prefix of the signed bytes, so that signatures for other purposes aren't valid here."""
_LINES: Final = 3
_SALT_BYTES: Final = 16
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32
# RFC 9106, second recommended option, as for passwords. The version of the format fixes them, so that no file
# can ask for more memory.
_PASSES: Final = 3
_MEMORY_KIB: Final = 65_536
_LANES: Final = 4
_FINGERPRINT_BYTES: Final = 10
_SECRETS: Final = TypeAdapter(dict[ConnectionPlatform, str])


class PackFault(StrEnum):
    """Why a pack was refused."""

    NOT_A_PACK = "not_a_pack"
    NEWER = "newer_pack"
    TOO_LONG = "pack_too_long"
    CHANGED = "pack_changed"
    PASSPHRASE = "wrong_passphrase"  # noqa: S105  a reason, not a secret
    PASSPHRASE_MISSING = "passphrase_missing"  # noqa: S105


class PackRefusedError(Exception):
    """A pack was refused. Nothing of it is used."""

    def __init__(self, fault: PackFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class SignedPack:
    """A pack whose signature is valid, and its maker's public key of 32 bytes."""

    content: PackContent
    maker_key: bytes

    @property
    def fingerprint(self) -> str:
        """The start of the key's SHA-256, for people to compare."""
        return fingerprint(self.maker_key)


def fingerprint(key: bytes) -> str:
    """Return 80 bits of the SHA-256 of a public key, as five groups of hexadecimal digits."""
    digits = hashlib.sha256(key).digest()[:_FINGERPRINT_BYTES].hex()
    return " ".join(digits[start : start + 4] for start in range(0, len(digits), 4))


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """Return the public half of a maker's key."""
    return key.public_key().public_bytes_raw()


def write_pack(content: PackContent, key: Ed25519PrivateKey) -> bytes:
    """Return the signed file."""
    body = content.model_dump_json(indent=1).encode() + b"\n"
    public = public_bytes(key)
    signature = key.sign(_CONTEXT + public + body)
    return b"\n".join((_FIRST_LINE, base64.b64encode(public), base64.b64encode(signature), body))


def read_pack(file: bytes) -> SignedPack:
    """Verify the signature and parse the content. Raises PackRefusedError. Nothing is parsed before."""
    if len(file) > PACK_BYTES_MAX:
        raise PackRefusedError(PackFault.TOO_LONG)
    first, *rest = file.split(b"\n", _LINES)
    if first != _FIRST_LINE:
        is_newer = first.startswith(_ANY_VERSION) and first[len(_ANY_VERSION) :].isdigit()
        raise PackRefusedError(PackFault.NEWER if is_newer else PackFault.NOT_A_PACK)
    if len(rest) < _LINES:
        raise PackRefusedError(PackFault.CHANGED)
    public, signature, body = _exact(rest[0]), _exact(rest[1]), rest[2]
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, _CONTEXT + public + body)
    except (InvalidSignature, ValueError):
        raise PackRefusedError(PackFault.CHANGED) from None
    try:
        return SignedPack(PackContent.model_validate_json(body), public)
    except ValidationError:
        raise PackRefusedError(PackFault.NOT_A_PACK) from None


def seal_secrets(
    found: Mapping[ConnectionPlatform, str], passphrase: str, apps: Sequence[PackedApp], maker_key: bytes
) -> SealedSecrets:
    """Encrypt secrets for some apps. Blocking: takes about a tenth of a second and 64 MiB."""
    salt, nonce = secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    cipher = AESGCM(_derived(passphrase, salt))
    text = cipher.encrypt(nonce, _SECRETS.dump_json(dict(found)), _binding(apps, maker_key))
    return SealedSecrets(salt=_written(salt), nonce=_written(nonce), text=_written(text))


def open_secrets(pack: SignedPack, passphrase: str | None) -> dict[ConnectionPlatform, str]:
    """Decrypt the secrets of a pack; empty if it has none. Blocking like `seal_secrets`.

    Raises PackRefusedError.
    """
    sealed, apps = pack.content.sealed, pack.content.apps
    if sealed is None:
        return {}
    if not passphrase:
        raise PackRefusedError(PackFault.PASSPHRASE_MISSING)
    salt, nonce, text = (_exact(part.encode()) for part in (sealed.salt, sealed.nonce, sealed.text))
    try:
        opened = AESGCM(_derived(passphrase, salt)).decrypt(nonce, text, _binding(apps, pack.maker_key))
        found = _SECRETS.validate_json(opened)
    except (InvalidTag, ValueError):
        raise PackRefusedError(PackFault.PASSPHRASE) from None
    return {app.platform: found[app.platform] for app in apps if app.has_secret and app.platform in found}


def _derived(passphrase: str, salt: bytes) -> bytes:
    return hash_secret_raw(
        unicodedata.normalize("NFC", passphrase).encode(),
        salt,
        time_cost=_PASSES,
        memory_cost=_MEMORY_KIB,
        parallelism=_LANES,
        hash_len=_KEY_BYTES,
        type=Type.ID,
    )


def _binding(apps: Sequence[PackedApp], maker_key: bytes) -> bytes:
    """Return what the secrets are bound to, so that no other pack can carry them."""
    named = [[app.platform.value, app.client_id, app.redirect_uri, app.scopes] for app in apps]
    return _CONTEXT + maker_key + json.dumps(named, separators=(",", ":")).encode()


def _written(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _exact(text: bytes) -> bytes:
    """Decode base64 that is written in the only canonical way. Raises PackRefusedError."""
    try:
        raw = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise PackRefusedError(PackFault.CHANGED) from None
    if base64.b64encode(raw) != text:
        raise PackRefusedError(PackFault.CHANGED)
    return raw
