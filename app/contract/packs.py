"""Setup packs: files that hand out apps registered with platforms, so that members need none of their own."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from app.contract.base import (
    Address,
    Few,
    HttpUrl,
    Known,
    Line,
    Omittable,
    RequestModel,
    ResponseModel,
    Sentence,
    Text,
    Timestamp,
    Word,
)
from app.contract.enums import ConnectionPlatform, OpenEnum
from app.contract.limits import (
    CLIENT_ID_MAX,
    PACK_BYTES_MAX,
    PACK_MAKER_MAX,
    PACK_NOTE_MAX,
    PACK_PASSPHRASE_MAX,
    PACK_PASSPHRASE_MIN,
    PACK_SCOPES_MAX,
)

_APPS_MAX = len(ConnectionPlatform)
_SEALED_MAX = 32_768
"""Maximum length of the encrypted secrets, in base64 characters. Eight secrets need less than 12,000."""

Scope = Annotated[str, Field(pattern=r"^[\x21-\x7e]+$", max_length=200)]


class PackedApp(RequestModel):
    """One app in a pack.

    Attributes:
        scopes: The permissions that the app requests.
        redirect_uri: The address registered with the platform, where the browser ends after the consent.
        has_secret: Whether its secret is among the encrypted ones.
    """

    platform: Known[ConnectionPlatform]
    client_id: Annotated[Line, Field(min_length=1, max_length=CLIENT_ID_MAX)]
    scopes: Annotated[list[Scope], Field(max_length=PACK_SCOPES_MAX)]
    redirect_uri: HttpUrl
    has_secret: bool


class SealedSecrets(RequestModel):
    """Secrets encrypted with a passphrase, by platform; all three are base64."""

    salt: Annotated[str, Field(min_length=24, max_length=24)]
    nonce: Annotated[str, Field(min_length=16, max_length=16)]
    text: Annotated[str, Field(min_length=1, max_length=_SEALED_MAX)]


class PackContent(RequestModel):
    """The signed part of a pack. Anybody can read it, except for the secrets."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    maker: Annotated[Line, Field(min_length=1, max_length=PACK_MAKER_MAX)]
    note: Annotated[Text, Field(max_length=PACK_NOTE_MAX)] = ""
    made_at: Timestamp
    apps: Annotated[list[PackedApp], Field(min_length=1, max_length=_APPS_MAX)]
    sealed: SealedSecrets | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if len({app.platform for app in self.apps}) < len(self.apps):
            raise PydanticCustomError("repeated", "names a platform twice")
        if any(app.has_secret for app in self.apps) is not (self.sealed is not None):
            raise PydanticCustomError("secrets", "doesn't say which apps have a secret")
        return self


Passphrase = Annotated[str, Field(min_length=1, max_length=PACK_PASSPHRASE_MAX)]
PackText = Annotated[str, Field(min_length=1, max_length=PACK_BYTES_MAX)]
"""The bytes of a pack, each as the character with its number (Latin-1)."""


class MakePack(RequestModel):
    """Request for a pack with the apps of some platforms. Without a passphrase, it contains no secrets."""

    maker: Annotated[Line, Field(min_length=1, max_length=PACK_MAKER_MAX)]
    note: Annotated[Text, Field(max_length=PACK_NOTE_MAX)] = ""
    platforms: Annotated[list[Known[ConnectionPlatform]], Field(min_length=1, max_length=_APPS_MAX)]
    passphrase: Omittable[
        Annotated[str, Field(min_length=PACK_PASSPHRASE_MIN, max_length=PACK_PASSPHRASE_MAX)]
    ] = None


class MadePack(ResponseModel):
    """A new pack, and the fingerprint of the key that signed it."""

    content: str
    fingerprint: Word


class ReadPack(RequestModel):
    """Request to check a pack and show what's in it."""

    content: PackText


class UsePack(RequestModel):
    """Request to use the apps of a pack, all of them unless ``platforms`` names some."""

    content: PackText
    passphrase: Omittable[Passphrase] = None
    platforms: Omittable[
        Annotated[list[Known[ConnectionPlatform]], Field(min_length=1, max_length=_APPS_MAX)]
    ] = None


class MakerStanding(OpenEnum):
    """What is known about the key that signed a pack.

    ``changed``: an app in use came from a maker of the same name, with another key.
    """

    NEW = "new"
    KNOWN = "known"
    CHANGED = "changed"
    OWN = "own"


class PackedAppSummary(ResponseModel):
    """One app in a pack, and what using it would do here.

    Attributes:
        returns: The browser returns to this service; otherwise the user pastes the address where it ended.
        has_secret: The pack contains the app's secret.
        secret_needed: The platform requires one.
        replaces: Another app is set up for the platform and would be replaced.
        changeable: Whether this service takes apps for the platform from anywhere but its settings file.
    """

    platform: ConnectionPlatform
    name: Word
    client_id: Word
    scopes: Few[Word]
    redirect_uri: Address
    returns: bool
    has_secret: bool
    secret_needed: bool
    replaces: bool
    changeable: bool


class PackSummary(ResponseModel):
    """What a pack contains. Its signature is valid, and nothing has been stored."""

    maker: Word
    note: Sentence
    made_at: Timestamp
    fingerprint: Word
    standing: MakerStanding
    passphrase_needed: bool
    apps: Few[PackedAppSummary]
