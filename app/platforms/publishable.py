"""The rules applied to a publication right before its calls."""

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import FailureKind, PlatformError, Publication
from app.platforms.rules import RULES, not_publishable


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
    """Return the alt text as the platform accepts it; None if there is none, or it accepts none."""
    rules, media = RULES[platform], publication.media
    if media is None or not media.alt_text or publication.post_type not in rules.alt_text_types:
        return None
    return media.alt_text[: rules.alt_text_max]
