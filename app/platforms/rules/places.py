"""The rules of a network for one account, whose server names its own limits, and the options of posts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from app.contract.enums import PostingPlatform, PostType
from app.language import filled, tr
from app.platforms.card import FileRules, PlatformRules
from app.platforms.cards import name_of
from app.platforms.rules.tables import FILES, RULES

if TYPE_CHECKING:
    # pydantic would delay the app's first window
    from app.contract.places import PlaceLimits, PlaceOptions

_REFUSED: Final = {
    "content_warning": tr("Posts on {platform} can't have a content warning."),
    "visibility": tr("Posts on {platform} can't have a visibility."),
    "language": tr("Posts on {platform} can't have a language."),
}


def post_rules(platform: PostingPlatform, limits: "PlaceLimits | None") -> PlatformRules | None:
    """Return the rules for posts of an account; None for an unknown platform."""
    rules = RULES.get(platform)
    if rules is None or limits is None:
        return rules
    return rules._replace(
        text_max=limits.text_max or rules.text_max,
        link_length=limits.link_length or rules.link_length,
        alt_text_max=limits.alt_text_max or rules.alt_text_max,
    )


def file_rules(
    platform: PostingPlatform, post_type: PostType, limits: "PlaceLimits | None"
) -> FileRules | None:
    """Return the rules for files of an account's posts; None if there are none."""
    rules = FILES.get((platform, post_type))
    if rules is None or limits is None:
        return rules
    kinds = frozenset(kind for kind in limits.content_types if kind.startswith(f"{post_type.value}/"))
    rules = rules._replace(content_types=kinds or rules.content_types)
    if post_type is PostType.IMAGE:
        return rules._replace(
            bytes_max=limits.image_bytes_max or rules.bytes_max,
            # A server's own limit is inclusive.
            pixels_max=limits.image_pixels_max + 1 if limits.image_pixels_max else rules.pixels_max,
        )
    rate = limits.video_frame_rate_max
    return rules._replace(
        bytes_max=limits.video_bytes_max or rules.bytes_max,
        frame_rate=(0, rate) if rate else rules.frame_rate,
    )


def unknown_options(platform: PostingPlatform, options: "PlaceOptions | None") -> Iterator[tuple[str, str]]:
    """Return the options that posts can't have on a platform, each with a message."""
    taken = RULES[platform].options if platform in RULES else frozenset()
    chosen = options.model_dump(exclude_none=True) if options else {}
    for name in chosen.keys() - taken:
        yield f"options.{name}", filled(_REFUSED[name], platform=name_of(platform))
