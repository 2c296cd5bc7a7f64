"""Covers uploaded as pictures: the frame of a video that the user chose.

A post never fails because of its cover. The video may already be live when the cover is sent, so every error
is only logged. Sending a cover again is harmless.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import structlog

from app.contract.enums import PostingPlatform
from app.platforms.base import Chunks, PlatformError, Publication
from app.platforms.http import Body
from app.platforms.publishable import cover_of

_log = structlog.get_logger(__name__)

_LONGEST_S: Final = 30.0


async def pass_on_cover(
    platform: PostingPlatform, publication: Publication, send: Callable[[Body], Awaitable[object]]
) -> bool:
    """Send the cover, if the user chose one; return whether it arrived.

    Args:
        platform: The platform.
        publication: The video's publication.
        send: Sends the picture.
    """
    moment, media = cover_of(platform, publication), publication.media
    if moment is None or media is None:
        return False
    try:
        async with asyncio.timeout(_LONGEST_S):
            if (picture := await media.picture_at(moment)) is None:
                return False
            await send(_body(picture))
    except PlatformError as error:
        _log.warning("a cover was refused", platform=platform.value, code=error.code, reason=error.message)
        return False
    except Exception as error:  # noqa: BLE001  nothing may make a post fail that is live
        _log.warning("a cover could not be sent", platform=platform.value, reason=type(error).__name__)
        return False
    return True


def _body(picture: bytes) -> Body:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Chunks]:
        async def chunks() -> Chunks:
            yield picture

        yield chunks()

    return Body("image/jpeg", len(picture), opened)
