"""Public pages that posts link to, for networks whose posts show a preview of them."""

from datetime import timedelta
from typing import Final

from app.platforms.base import WebContent
from app.service.outbound import OutboundClient, OutboundError

_PATIENCE: Final = timedelta(seconds=5)


async def fetch(outbound: OutboundClient, url: str, bytes_max: int) -> WebContent | None:
    """Return at most ``bytes_max`` bytes from a public address; None if that fails."""
    body = bytearray()
    try:
        async with outbound.stream_get(url, timeout=_PATIENCE) as found:
            if found.status != 200:
                return None
            async for chunk in found.chunks:
                body += chunk
                if len(body) > bytes_max:
                    break
            is_whole = len(body) <= bytes_max
            return WebContent(found.url, found.content_type, bytes(body[:bytes_max]), is_whole=is_whole)
    except OutboundError:
        return None
