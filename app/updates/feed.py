"""The signed feed: a small file that names the newest version and its installers."""

import base64
import binascii
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Final, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from app.updates.build import Channel, Kind, Version

FEED_MAX: Final = 64 * 1024
"""Maximum size of the feed, in bytes."""
INSTALLER_MAX: Final = 400 * 1024 * 1024
"""Maximum size of an installer, in bytes."""
CONTEXT: Final = b"kalends update feed 1\n"
"""Prefix of the signed document, so that signatures for other purposes aren't valid here."""
_SHA256: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}", re.ASCII)


class Reason(StrEnum):
    """Why an update was refused."""

    UNREACHABLE = "unreachable"
    NOT_SECURE = "not_secure"
    MALFORMED = "malformed"
    SIGNATURE = "signature"
    OLDER = "older"
    SIZE = "size"
    CUT_SHORT = "cut_short"
    CHANGED = "changed"
    SLOW = "slow"
    NO_ROOM = "no_room"


class Refused(Exception):  # noqa: N818  named after what happened
    """An update was refused. None of it is kept."""

    def __init__(self, reason: Reason, details: str = "") -> None:
        super().__init__(f"{reason}: {details}" if details else str(reason))
        self.reason = reason


def _matching(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.fullmatch(text):
        raise ValueError("not of that form")
    return text


def _secure(url: str) -> str:
    if not url.startswith("https://"):
        raise ValueError("not https")
    return url


def _version(text: str) -> str:
    Version.read(text)
    return text


class Installer(BaseModel):
    """One file of a release."""

    model_config = ConfigDict(frozen=True)

    system: str
    kind: Kind
    name: Annotated[str, AfterValidator(lambda text: _matching(_NAME, text))]
    url: Annotated[str, Field(max_length=2000), AfterValidator(_secure)]
    size: Annotated[int, Field(gt=0, le=INSTALLER_MAX)]
    sha256: Annotated[str, AfterValidator(lambda text: _matching(_SHA256, text))]


class Feed(BaseModel):
    """The newest version. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1]
    version: Annotated[str, AfterValidator(_version)]
    published_at: AwareDatetime
    installers: Annotated[tuple[Installer, ...], Field(max_length=20)]

    def newer(self, channel: Channel) -> Installer | None:
        """Return the installer of a newer version for this system; None if there isn't one."""
        if Version.read(self.version) <= channel.version:
            return None
        wanted = (
            each for each in self.installers if (each.system, each.kind) == (channel.system, channel.kind)
        )
        return next(wanted, None)


class _Envelope(BaseModel):
    signed: str
    signatures: Annotated[list[str], Field(max_length=5)]


def read(body: bytes, keys: Iterable[bytes]) -> Feed:
    """Verify the signature and parse the feed. Raises Refused. Nothing is parsed before."""
    try:
        envelope = _Envelope.model_validate_json(body)
        signed = base64.b64decode(envelope.signed, validate=True)
        signatures = [base64.b64decode(each, validate=True) for each in envelope.signatures]
    except (ValidationError, binascii.Error, ValueError) as error:
        raise Refused(Reason.MALFORMED, type(error).__name__) from error
    if not any(_is_by(key, signature, signed) for key in keys for signature in signatures):
        raise Refused(Reason.SIGNATURE)
    try:
        return Feed.model_validate_json(signed)
    except ValidationError as error:
        raise Refused(Reason.MALFORMED, f"{error.error_count()} fields") from error


def _is_by(key: bytes, signature: bytes, signed: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, CONTEXT + signed)
    except (InvalidSignature, ValueError):
        return False
    return True
