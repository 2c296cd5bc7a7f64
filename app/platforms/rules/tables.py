"""The rules of all cards, by platform."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.contract.enums import PostingPlatform, PostType
from app.platforms.card import FileRules, PlatformRules
from app.platforms.cards import CARDS

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
