"""Which accounts can take a file, by the platforms' rules and what is known of it."""

from collections.abc import Iterable

from app.contract.enums import PostingPlatform, PostType
from app.workspace.accounts.account import Account
from app.workspace.rules import RULES, MediaFacts, check, check_file

_NOT_OF_THE_FILE = ("description", "title", "pinterest_board_id")
"""Fields that somebody who writes the post still fills in."""


def refusals(account: Account, post_type: PostType, facts: MediaFacts) -> list[str]:
    """Why an account's platform would not take a file, as sentences; empty when it would.

    A platform without known rules leaves the verdict to the service, unless it takes no posts at all.
    """
    platform = PostingPlatform(account.platform.value)
    if not platform.is_known:
        return []
    issues = check(platform=platform, post_type=post_type, title=None, text="", media=facts)
    return [issue.message for issue in issues if issue.field not in _NOT_OF_THE_FILE]


def refused_by_all(accounts: Iterable[Account], post_type: PostType, facts: MediaFacts) -> str:
    """Why none of the accounts takes a file; empty when one does, or when there is none."""
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
    """The platforms that show the moment of a video which was chosen to stand for it."""
    return [platform for platform, rules in RULES.items() if rules.takes_cover]


def takers(post_type: PostType, facts: MediaFacts) -> list[PostingPlatform]:
    """The platforms whose rules a file keeps as it is, as far as it is known."""
    return [
        platform
        for platform, rules in RULES.items()
        if post_type in rules.publishable and not list(check_file(platform, post_type, facts))
    ]
