"""The rules of all cards, by platform, and those of an account whose server names its own limits."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from app.contract.enums import PostingPlatform, PostType
from app.contract.graphemes import GRAPHEME
from app.language import filled, tr
from app.platforms.card import FileRules, PlatformRules, TextUnit
from app.platforms.cards import CARDS, name_of

if TYPE_CHECKING:
    from app.contract.places import PlaceLimits, PlaceOptions

RULES: Final[Mapping[PostingPlatform, PlatformRules]] = MappingProxyType(
    {PostingPlatform(key): card.posts for key, card in CARDS.items() if card.posts is not None}
)
"""The limits of every platform that takes posts."""

FILES: Final[Mapping[tuple[PostingPlatform, PostType], FileRules]] = MappingProxyType(
    {
        (PostingPlatform(key), post_type): rules
        for key, card in CARDS.items()
        for post_type, rules in card.files.items()
    }
)
"""The limits of files, by platform and type of post."""


def pulled(*, instagram_login: bool) -> dict[PostingPlatform, frozenset[PostType]]:
    """Return the types of posts whose file a platform fetches from a public address, by platform.

    With Facebook Login, Instagram can get images in another way; with Instagram Login, it can't.
    """
    found: dict[PostingPlatform, frozenset[PostType]] = {}
    for (platform, kind), rules in FILES.items():
        if rules.pulled and (instagram_login or platform is not PostingPlatform.INSTAGRAM):
            found[platform] = found.get(platform, frozenset()) | {kind}
    return found


class Length(NamedTuple):
    """The length of a text, and the longest allowed, in a unit."""

    unit: TextUnit
    used: int
    allowed: int

    @property
    def over(self) -> int:
        """How much is too long; 0 or less if the text fits."""
        return self.used - self.allowed


def length_of(
    platform: PostingPlatform,
    text: str,
    post_type: PostType,
    rules: PlatformRules | None = None,
    warning: str = "",
) -> Length:
    """Return the length of a text by a platform's rules: in bytes if only these are too many.

    ``rules`` are those of the account's server; the platform's by default. A content ``warning`` counts, too.
    Raises KeyError for a platform without known rules.
    """
    rules = rules or RULES[platform]
    used = count(rules.text_unit, text, rules.link_length) + count(TextUnit.GRAPHEMES, warning)
    length = Length(rules.text_unit, used, rules.text_max_of(post_type))
    if length.over > 0 or rules.text_bytes_max is None:
        return length
    size = Length(TextUnit.UTF8_BYTES, count(TextUnit.UTF8_BYTES, text), rules.text_bytes_max)
    return size if size.over > 0 else length


def count(unit: TextUnit, text: str, link_length: int = 23) -> int:
    """Return the length of a text in a unit. Lone surrogates count like their replacement character.

    ``link_length`` is what a link counts on Mastodon.
    """
    match unit:
        case TextUnit.X_WEIGHT:
            from app.platforms.x.text import weighted_length  # its patterns take 10 ms to compile

            return weighted_length(text)
        case TextUnit.MASTODON:
            from app.platforms.mastodon.text import mastodon_length  # for the same reason

            return mastodon_length(text, link_length)
        case TextUnit.UTF8_BYTES:
            return sum(1 if char < "\x80" else len(char.encode(errors="surrogatepass")) for char in text)
        case TextUnit.UTF16_UNITS:
            return len(text) + sum(char > "\uffff" for char in text)
        case TextUnit.GRAPHEMES:
            return len(GRAPHEME.findall(text))
        case TextUnit.CODE_POINTS:
            return len(text)


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
