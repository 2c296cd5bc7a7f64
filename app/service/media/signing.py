"""Signed links: each allows one operation on one file until it expires, without an API key."""

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
from app.service.api.responses import ApiError
from app.service.clock import Clock
from app.service.media.settings import MediaSettings
from app.service.media.stores import MediaStore, Place, name_of, place_of

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
