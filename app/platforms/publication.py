"""A publication as adapters read it: its rules, file, cover, and stored steps."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final, TypeVar

import structlog
from pydantic import BaseModel, ValidationError

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import (
    Cause,
    Chunks,
    Clock,
    FailureKind,
    LookBack,
    LookBackOutcome,
    Media,
    PlatformError,
    Publication,
    Published,
)
from app.platforms.composition import composed
from app.platforms.http import Body
from app.platforms.rules import RULES, not_publishable

KEPT: Final = timedelta(hours=20)
"""How long an uploaded file is relied on: most platforms keep it for a day."""

M = TypeVar("M", bound=BaseModel)


async def recall(publication: Publication, name: str, model: type[M]) -> M | None:
    """Return a stored value; None if it's missing or has another format."""
    value = await publication.steps.get(name)
    if value is None:
        return None
    try:
        return model.model_validate_json(value)
    except ValidationError:
        return None


async def remember(publication: Publication, name: str, value: BaseModel) -> None:
    await publication.steps.put(name, value.model_dump_json())


def usable(at: datetime, clock: Clock) -> bool:
    """Whether a platform still keeps a file uploaded at this time."""
    return clock() - at < KEPT


def file_of(publication: Publication) -> Media:
    """Return the publication's file. Raises PlatformError (INVALID) if it is gone."""
    if publication.media is None:
        raise PlatformError(FailureKind.INVALID, "no_file", "The file of the post is missing.")
    return publication.media


async def address_of(publication: Publication) -> str:
    """Return the file's public address. Raises PlatformError (INVALID) if it has none."""
    address = await file_of(publication).address()
    if address is None:
        message = "The service no longer has a public address for the file."
        raise PlatformError(FailureKind.INVALID, "no_public_address", message, cause=Cause.FILE_ADDRESS)
    return address


def require_publishable(platform: PostingPlatform, post_type: PostType) -> None:
    """Raise PlatformError (INVALID) for a type of post that can't be published there yet."""
    if post_type not in RULES[platform].publishable:
        raise PlatformError(FailureKind.INVALID, "not_publishable", not_publishable(platform, post_type))


def cover_of(platform: PostingPlatform, publication: Publication) -> int | None:
    """Return the position of a video's chosen cover, in ms, at most its end.

    Returns None if none was chosen, or the platform doesn't support covers.
    """
    media = publication.media
    if media is None or media.cover_ms is None or publication.post_type is not PostType.VIDEO:
        return None
    if not RULES[platform].takes_cover:
        return None
    return media.cover_ms if media.duration_ms is None else min(media.cover_ms, media.duration_ms)


def alt_text_of(platform: PostingPlatform, publication: Publication) -> str | None:
    """Return the alt text as the platform accepts it; None if it's empty or not supported."""
    rules, media = RULES[platform], publication.media
    if media is None or not media.alt_text or publication.post_type not in rules.alt_text_types:
        return None
    return media.alt_text[: publication.alt_text_max or rules.alt_text_max]


# A post never fails because of its cover. The video may already be live when the cover is sent, so every
# error is only logged. Sending a cover again is harmless.
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


_SCHEME: Final = re.compile(r"https?://", re.IGNORECASE)
LONGEST_TEXT: Final = 40_000
"""Characters of a text that are compared: four times the longest post. A longer one isn't ours."""
_LAST_SLASH: Final = re.compile(r"/(?=\s|$)")


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal, ignoring white space, composition, and the form of links."""
    return max(len(one), len(other)) <= LONGEST_TEXT and _canonical(one) == _canonical(other)


def judge(
    items: Iterable[tuple[Published, bool | None]], *, read_all: bool, by_steps: bool = False
) -> LookBack:
    """Return what a platform's items, oldest first, prove about a publication.

    Args:
        items: Each item, with whether it is the publication; None if a field that would tell is missing.
        read_all: Whether these are all items the publication could be among.
        by_steps: Whether the publication's steps were needed to tell its item from others.
    """
    is_proof = read_all
    for item, is_it in items:
        if is_it:
            return LookBack(LookBackOutcome.FOUND, item)
        is_proof = is_proof and is_it is False
    absent = LookBackOutcome.UNSENT if by_steps else LookBackOutcome.ABSENT
    return LookBack(absent if is_proof else LookBackOutcome.UNKNOWABLE)


def _canonical(text: str) -> str:
    plain = _SCHEME.sub("", composed(text))
    return " ".join(_LAST_SLASH.sub("", plain).split())
