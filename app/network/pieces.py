"""Reading the bodies of responses piece by piece, as their servers sent them."""

from collections.abc import AsyncIterator
from typing import Final

import aiohttp

_FREE: Final = 1_000
"""Number of pieces that may have any size."""
_BYTES_MIN: Final = 128
"""Least average size of more pieces, in bytes."""


class TinyPiecesError(aiohttp.ClientPayloadError):
    """A server sends its response in tiny pieces, which keep the event loop busy."""


async def pieces_of(content: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    """Yield the pieces of a body: its chunks, or whatever arrived together.

    Each takes some µs of the event loop, even with a single byte. Raises TinyPiecesError for too many small
    ones, and aiohttp's errors.
    """
    count = size = 0
    async for piece, _ in content.iter_chunks():
        count += 1
        size += len(piece)
        if count > _FREE and size < count * _BYTES_MIN:
            raise TinyPiecesError("the response comes in tiny pieces")
        yield piece
