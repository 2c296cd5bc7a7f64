"""Public addresses of stored files, for platforms that fetch them."""

import asyncio
from datetime import timedelta
from typing import Final

from app.service.clock import Clock
from app.service.media.settings import MediaSettings
from app.service.media.signing import LinkSigner, expiry
from app.service.media.stores import MediaStore, Place

LIFETIME: Final = timedelta(hours=24)
"""Platforms fetch a file within an hour or so; Instagram may, as long as its container lives."""


class PublicAddresses:
    """Signed addresses, each for one file and a day: below the public origin, else in the bucket."""

    def __init__(self, store: MediaStore, signer: LinkSigner, settings: MediaSettings, clock: Clock) -> None:
        self._store = store
        self._signer = signer
        self._origin = settings.public_origin
        self._is_reachable = settings.is_reachable
        self._clock = clock

    async def of(self, place: Place, content_type: str) -> str | None:
        """Where anybody can fetch the file until tomorrow; None where the internet does not reach it.

        Raises OSError when the storage does not let itself be asked for a signature.
        """
        if self._origin is not None:
            return self._signer.view(self._origin, place.storage_path, expiry(self._clock(), LIFETIME))
        if not self._is_reachable:
            return None
        return await asyncio.to_thread(self._store.link, place, content_type, LIFETIME)
