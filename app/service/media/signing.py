"""Signed links: whoever has one may do one thing with one file until it expires, without a key."""

import asyncio
import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ConfigDict
from sqlalchemy import RowMapping

from app.contract.enums import ErrorCode
from app.service.api.errors import ApiError
from app.service.clock import Clock
from app.service.media.settings import MediaSettings
from app.service.media.stores import MediaStore, Place, name_of, place_of

LINKS_PREFIX: Final = "/media/v1"
"""Where signed links lead, below the service's address."""

LIFETIME: Final = timedelta(hours=24)
"""Platforms fetch a file within an hour or so; Instagram may, as long as its container lives."""


def expiry(now: datetime, lifetime: timedelta) -> datetime:
    """When a link that is made now ends: links hold whole seconds, and none lives shorter than promised."""
    exact = now + lifetime
    whole = exact.replace(microsecond=0)
    return whole if whole == exact else whole + timedelta(seconds=1)


class UploadClaims(BaseModel):
    """What an upload link says about itself in its query."""

    model_config = ConfigDict(frozen=True)

    expires: int
    size: int
    type: str
    token: str


class ViewClaims(BaseModel):
    """What a view link says about itself in its query."""

    model_config = ConfigDict(frozen=True)

    expires: int
    token: str


class LinkSigner:
    """HMAC-SHA256 over method, path, expiry, size and type. Nothing of a link is kept anywhere."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def upload(
        self, origin: str, storage_path: str, expires_at: datetime, size: int, content_type: str
    ) -> tuple[str, str]:
        """The URL to PUT exactly ``size`` bytes to, and its token; ``expires_at`` is an ``expiry``."""
        expires = int(expires_at.timestamp())
        token = self._token("PUT", storage_path, expires, size, content_type)
        query = {"expires": expires, "size": size, "type": content_type, "token": token}
        return f"{origin}{LINKS_PREFIX}/{quote(storage_path)}?{urlencode(query)}", token

    def view(self, origin: str, storage_path: str, expires_at: datetime) -> str:
        """The URL to GET a file from; ``expires_at`` is an ``expiry``."""
        expires = int(expires_at.timestamp())
        query = {"expires": expires, "token": self._token("GET", storage_path, expires)}
        return f"{origin}{LINKS_PREFIX}/{quote(storage_path)}?{urlencode(query)}"

    def check_upload(self, storage_path: str, claims: UploadClaims, now: datetime) -> None:
        """Raises ApiError (403) unless this installation made the link and it still holds."""
        genuine = self._token("PUT", storage_path, claims.expires, claims.size, claims.type)
        _check(claims.token, genuine, claims.expires, now)

    def check_view(self, storage_path: str, claims: ViewClaims, now: datetime) -> None:
        """Raises ApiError (403) unless this installation made the link and it still holds."""
        _check(claims.token, self._token("GET", storage_path, claims.expires), claims.expires, now)

    def _token(self, *parts: str | int) -> str:
        # A line feed stands in none of the parts, so that no two links are signed alike.
        signed = hmac.digest(
            self._key, "\n".join(map(str, parts)).encode(errors="surrogatepass"), hashlib.sha256
        )
        return base64.urlsafe_b64encode(signed).decode().rstrip("=")


def _check(given: str, genuine: str, expires: int, now: datetime) -> None:
    if not hmac.compare_digest(given.encode(errors="surrogatepass"), genuine.encode()):
        raise ApiError(ErrorCode.FORBIDDEN, "The link is not valid. Ask for a new one.")
    if now >= datetime.fromtimestamp(expires, UTC):
        raise ApiError(ErrorCode.FORBIDDEN, "The link has expired. Ask for a new one.")


class FileAddresses:
    """Signed addresses, each for one file and for a time."""

    def __init__(self, store: MediaStore, signer: LinkSigner, settings: MediaSettings, clock: Clock) -> None:
        self._store = store
        self._signer = signer
        self._origin = settings.public_origin
        self._is_reachable = settings.is_reachable
        self._clock = clock

    async def view(self, row: RowMapping, origin: str, lifetime: timedelta) -> str:
        """Where a caller who reaches the service at ``origin`` can look at a file.

        Raises OSError when the storage does not let itself be asked for a signature.
        """
        place = place_of(row)
        link = await asyncio.to_thread(self._store.link, place, row["content_type"], lifetime, name_of(row))
        return link or self._signer.view(origin, place.storage_path, expiry(self._clock(), lifetime))

    async def public(self, place: Place, content_type: str) -> str | None:
        """Where anybody can fetch the file until tomorrow: below the public origin, else in the bucket.

        None where the internet does not reach it. Raises OSError like ``view``.
        """
        if self._origin is not None:
            return self._signer.view(self._origin, place.storage_path, expiry(self._clock(), LIFETIME))
        if not self._is_reachable:
            return None
        return await asyncio.to_thread(self._store.link, place, content_type, LIFETIME)
