"""The last guard before a call: nothing goes out that the rules do not let in."""

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import FailureKind, PlatformError
from app.platforms.rules import RULES, not_publishable


def require_publishable(platform: PostingPlatform, post_type: PostType) -> None:
    """Raises PlatformError (INVALID) for a kind of post that cannot be published there yet."""
    rules = RULES[platform]
    if post_type not in rules.publishable:
        raise PlatformError(FailureKind.INVALID, "not_publishable", not_publishable(rules, post_type))
