"""Frames of stored videos as pictures, made by a helper process that can only read the video."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog

from app.media.helper import COMMAND, Helper, HelperError
from app.media.protocol import PIECE_MAX
from app.service.media.stores import MediaStore, Place

_log = structlog.get_logger(__name__)

_PATIENCE: Final = timedelta(seconds=20)
"""Time limit per picture."""
_AT_ONCE: Final = 2
_BYTES_MAX: Final = 2_000_000
"""Largest picture in bytes that every platform accepts."""


class Frames:
    """Makes pictures of videos in any store. ``command`` starts a program like `app.media.worker`."""

    def __init__(
        self, store: MediaStore, *, command: Sequence[str] = COMMAND, patience: timedelta = _PATIENCE
    ) -> None:
        self._store = store
        self._command = command
        self._patience = patience
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def picture(self, place: Place, size: int, ms: int) -> bytes | None:
        """Return the frame at ``ms`` of a video of ``size`` bytes, as a JPEG of at most 2 MB.

        Returns None if the video can't be read, or not now.
        """
        async with self._room:
            try:
                async with asyncio.timeout(self._patience.total_seconds()):
                    return await self._made(place, size, ms)
            except (OSError, HelperError) as error:  # TimeoutError is one of the former
                _log.warning("a video's frame could not be extracted", reason=type(error).__name__)
                return None

    async def _made(self, place: Place, size: int, ms: int) -> bytes | None:
        helper, loop = Helper(self._command, self._patience.total_seconds()), asyncio.get_running_loop()

        def read(first: int, length: int) -> bytes:
            return asyncio.run_coroutine_threadsafe(self._piece(place, first, length), loop).result()

        try:
            asked = {"do": "cover", "size": size, "ms": ms}
            _, picture = await helper.ask_in_thread(asked, read=read)
        finally:
            helper.stop()
            await asyncio.to_thread(helper.close)
        return picture if 0 < len(picture) <= _BYTES_MAX else None

    async def _piece(self, place: Place, first: int, size: int) -> bytes:
        """Read part of the video. Raises ValueError for an invalid range, or the store's errors."""
        if first < 0 or not 0 < size <= PIECE_MAX:
            raise ValueError(size)
        async with self._store.open_at(place, first, size) as chunks:
            return b"".join([chunk async for chunk in chunks])
