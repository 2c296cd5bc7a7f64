"""Addresses of stored files: for whoever has a key, and for platforms that fetch them."""

import asyncio
from datetime import timedelta
from typing import Final

from sqlalchemy import RowMapping

from app.service.clock import Clock
from app.service.media.settings import MediaSettings
from app.service.media.signing import LinkSigner, expiry
from app.service.media.stores import MediaStore, Place, name_of, place_of

LIFETIME: Final = timedelta(hours=24)
"""Platforms fetch a file within an hour or so; Instagram may, as long as its container lives."""


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
