"""``[media]``: where files are stored and fetched from, and signed links to them."""

import asyncio
import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final, Self
from urllib.parse import quote, urlencode, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from sqlalchemy import RowMapping

from app.contract.base import HttpUrl
from app.contract.enums import ErrorCode
from app.service.api.responses import ApiError
from app.service.clock import Clock
from app.service.media.stores import MediaStore, Place, name_of, place_of


def _require_origin(value: str) -> str:
    parts = urlsplit(value.rstrip("/"))
    if parts.scheme != "https" or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be https://HOST or https://HOST:PORT and nothing more")
    return value.rstrip("/")


HttpsOrigin = Annotated[HttpUrl, AfterValidator(_require_origin)]
"""Such as ``https://plan.example``, without a trailing slash."""


def _require_endpoint(value: str) -> str:
    parts = urlsplit(value.rstrip("/"))
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be https://HOST or https://HOST:PORT and nothing more, without credentials")
    return value.rstrip("/")


def _require_prefix(value: str) -> str:
    folders = value.strip("/").split("/")
    if any(folder in {"", ".", ".."} for folder in folders):
        raise ValueError("must be a folder in the bucket used only by Kalends, such as kalends/")
    return "/".join(folders) + "/"


class S3Settings(BaseModel):
    """A bucket of S3 or a compatible storage. Credentials are never stored here.

    Attributes:
        region: The provider's name for it.
        endpoint: URL of the storage; None for Amazon's.
        prefix: The folder in the bucket that only Kalends uses: any other object in it may be deleted.
        path_style: Whether the bucket is in the path instead of the host name, as MinIO needs.
        credentials_file: A file like ``~/.aws/credentials``; None for boto3's default search.
        profile: The section in that file.
        ca_file: A PEM file of additional certificate authorities for the storage.
        public: Whether platforms can fetch signed links to the bucket; None if they can when it uses https.
    """

    model_config = ConfigDict(extra="forbid")

    bucket: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    region: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")] = "us-east-1"
    endpoint: Annotated[HttpUrl, AfterValidator(_require_endpoint)] | None = None
    prefix: Annotated[str, Field(max_length=200), AfterValidator(_require_prefix)] = "kalends/"
    path_style: bool = False
    credentials_file: Path | None = None
    profile: str | None = None
    ca_file: Path | None = None
    public: bool | None = None

    @property
    def is_secure(self) -> bool:
        """Whether links to the bucket start with https."""
        return self.endpoint is None or self.endpoint.startswith("https://")

    @property
    def is_public(self) -> bool:
        return self.is_secure if self.public is None else self.public

    @model_validator(mode="after")
    def _check_public(self) -> Self:
        if self.public and not self.is_secure:
            raise ValueError("public = true needs an endpoint that starts with https")
        return self


class MediaSettings(BaseModel):
    """Where files are stored.

    Attributes:
        public_origin: Public origin of the service's signed links to files (``/media/v1/``), such as
            ``https://files.example``, where platforms fetch files. Nothing else needs to be reachable there.
        s3: The bucket for files; None for the data folder.
    """

    model_config = ConfigDict(extra="forbid")

    public_origin: HttpsOrigin | None = None
    s3: S3Settings | None = None

    @property
    def is_reachable(self) -> bool:
        """Whether platforms can fetch files."""
        return self.public_origin is not None or (self.s3 is not None and self.s3.is_public)


LINKS_PREFIX: Final = "/media/v1"
"""Path of signed links."""

LIFETIME: Final = timedelta(hours=24)
"""Platforms fetch a file within about an hour, but Instagram as late as its container lives."""


def expiry(now: datetime, lifetime: timedelta) -> datetime:
    """Return the expiry of a link created now, rounded up, because links contain whole seconds."""
    exact = now + lifetime
    whole = exact.replace(microsecond=0)
    return whole if whole == exact else whole + timedelta(seconds=1)


class UploadClaims(BaseModel):
    """The query of an upload link."""

    model_config = ConfigDict(frozen=True)

    expires: int
    size: int
    type: str
    token: str


class ViewClaims(BaseModel):
    """The query of a view link."""

    model_config = ConfigDict(frozen=True)

    expires: int
    token: str


class LinkSigner:
    """HMAC-SHA256 over method, path, expiry, size and type. Links aren't stored."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def upload(
        self, origin: str, storage_path: str, expires_at: datetime, size: int, content_type: str
    ) -> tuple[str, str]:
        """Return the URL to PUT exactly ``size`` bytes to, and its token; ``expires_at`` is an ``expiry``."""
        expires = int(expires_at.timestamp())
        token = self._token("PUT", storage_path, expires, size, content_type)
        query = {"expires": expires, "size": size, "type": content_type, "token": token}
        return f"{origin}{LINKS_PREFIX}/{quote(storage_path)}?{urlencode(query)}", token

    def view(self, origin: str, storage_path: str, expires_at: datetime) -> str:
        """Return the URL to GET a file from; ``expires_at`` is an ``expiry``."""
        expires = int(expires_at.timestamp())
        query = {"expires": expires, "token": self._token("GET", storage_path, expires)}
        return f"{origin}{LINKS_PREFIX}/{quote(storage_path)}?{urlencode(query)}"

    def check_upload(self, storage_path: str, claims: UploadClaims, now: datetime) -> None:
        """Raise ApiError (403) unless this installation created the link and it hasn't expired."""
        genuine = self._token("PUT", storage_path, claims.expires, claims.size, claims.type)
        _check(claims.token, genuine, claims.expires, now)

    def check_view(self, storage_path: str, claims: ViewClaims, now: datetime) -> None:
        """Raise ApiError (403) unless this installation created the link and it hasn't expired."""
        _check(claims.token, self._token("GET", storage_path, claims.expires), claims.expires, now)

    def _token(self, *parts: str | int) -> str:
        # None of the parts contains a line feed, so no two links have the same signature.
        signed = hmac.digest(
            self._key, "\n".join(map(str, parts)).encode(errors="surrogatepass"), hashlib.sha256
        )
        return base64.urlsafe_b64encode(signed).decode().rstrip("=")


def _check(given: str, genuine: str, expires: int, now: datetime) -> None:
    if not hmac.compare_digest(given.encode(errors="surrogatepass"), genuine.encode()):
        raise ApiError(ErrorCode.FORBIDDEN, "The link isn't valid. Request a new one.")
    if now >= datetime.fromtimestamp(expires, UTC):
        raise ApiError(ErrorCode.FORBIDDEN, "The link has expired. Request a new one.")


class FileAddresses:
    """Creates signed URLs, each for one file and a limited time."""

    def __init__(self, store: MediaStore, signer: LinkSigner, settings: MediaSettings, clock: Clock) -> None:
        self._store = store
        self._signer = signer
        self._origin = settings.public_origin
        self._is_reachable = settings.is_reachable
        self._clock = clock

    async def view(self, row: RowMapping, origin: str, lifetime: timedelta) -> str:
        """Return a URL for viewing a file, for a caller who reaches the service at ``origin``.

        Raises OSError if the storage can't sign.
        """
        place = place_of(row)
        link = await asyncio.to_thread(self._store.link, place, row["content_type"], lifetime, name_of(row))
        return link or self._signer.view(origin, place.storage_path, expiry(self._clock(), lifetime))

    async def public(self, place: Place, content_type: str) -> str | None:
        """Return a public URL for a file, valid for a day: at the public origin, or else in the bucket.

        Returns None if the file can't be reached from the internet. Raises OSError like ``view``.
        """
        if self._origin is not None:
            return self._signer.view(self._origin, place.storage_path, expiry(self._clock(), LIFETIME))
        if not self._is_reachable:
            return None
        return await asyncio.to_thread(self._store.link, place, content_type, LIFETIME)
