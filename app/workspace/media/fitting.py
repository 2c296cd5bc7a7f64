"""Which accounts accept a file, by the platforms' rules and the file's known properties."""

from collections.abc import Iterable

from app.contract.enums import PostingPlatform, PostType
from app.workspace.accounts.account import Account
from app.workspace.rules import RULES, MediaFacts, check, check_file

_NOT_OF_THE_FILE = ("description", "title", "pinterest_board_id")
"""Fields that the author of the post still fills in."""


def refusals(account: Account, post_type: PostType, facts: MediaFacts) -> list[str]:
    """Return why an account's platform would refuse a file, as sentences; empty if it wouldn't.

    On a platform without known rules, the service decides, unless the platform takes no posts at all.
    """
    platform = PostingPlatform(account.platform.value)
    if not platform.is_known:
        return []
    issues = check(platform=platform, post_type=post_type, title=None, text="", media=facts)
    return [issue.message for issue in issues if issue.field not in _NOT_OF_THE_FILE]


def refused_by_all(accounts: Iterable[Account], post_type: PostType, facts: MediaFacts) -> str:
    """Return why none of the accounts accepts a file; empty if one does, or there are no accounts."""
    said: dict[str, None] = {}
    for account in accounts:
        if not account.is_available or PostingPlatform(account.platform.value) not in RULES:
            continue
        found = refusals(account, post_type, facts)
        if not found:
            return ""
        said.update(dict.fromkeys(found[:1]))
    return " ".join(said)


def cover_takers() -> list[PostingPlatform]:
    """Return the platforms that show the chosen cover of a video."""
    return [platform for platform, rules in RULES.items() if rules.takes_cover]


def takers(post_type: PostType, facts: MediaFacts) -> list[PostingPlatform]:
    """Return the platforms whose rules a file meets without changes, as far as known."""
    return [
        platform
        for platform, rules in RULES.items()
        if post_type in rules.publishable and not list(check_file(platform, post_type, facts))
    ]
