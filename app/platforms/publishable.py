"""What the rules say of a publication, right before its calls."""

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import FailureKind, PlatformError, Publication
from app.platforms.rules import RULES, not_publishable


def require_publishable(platform: PostingPlatform, post_type: PostType) -> None:
    """Raises PlatformError (INVALID) for a kind of post that cannot be published there yet."""
    if post_type not in RULES[platform].publishable:
        raise PlatformError(FailureKind.INVALID, "not_publishable", not_publishable(platform, post_type))


def cover_of(platform: PostingPlatform, publication: Publication) -> int | None:
    """The moment of a video that was chosen to stand for it, in milliseconds, no later than its end.

    None where none was chosen, or the platform takes none.
    """
    media = publication.media
    if media is None or media.cover_ms is None or publication.post_type is not PostType.VIDEO:
        return None
    if not RULES[platform].takes_cover:
        return None
    return media.cover_ms if media.duration_ms is None else min(media.cover_ms, media.duration_ms)


def alt_text_of(platform: PostingPlatform, publication: Publication) -> str | None:
    """The description of the file as the platform takes it; None where there is none or it takes none."""
    rules, media = RULES[platform], publication.media
    if media is None or not media.alt_text or publication.post_type not in rules.alt_text_types:
        return None
    return media.alt_text[: rules.alt_text_max]
