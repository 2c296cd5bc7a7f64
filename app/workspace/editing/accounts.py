"""Which accounts a draft is for: those that are switched on and can take its kind of post."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from app.contract.enums import PostingPlatform, PostType
from app.language import tr
from app.platforms.cards import name_of
from app.workspace.accounts.account import Account
from app.workspace.rules import RULES, check


def posting_platform(account: Account) -> PostingPlatform:
    """Return the platform of an account, as posts name it."""
    return PostingPlatform(account.platform.value)


def unusable(account: Account, post_type: PostType = PostType.TEXT) -> str:
    """Return why an account can't take a kind of post, as a sentence; "" when it can."""
    if not account.is_available:
        return tr("Access has expired. Reconnect the account.")
    platform = posting_platform(account)
    if platform not in RULES:
        return tr("{platform} doesn't support posts.", platform=name_of(account.platform.value))
    has_media = post_type is not PostType.TEXT
    issues = check(platform=platform, post_type=post_type, title=None, text="Text", has_media=has_media)
    return next((issue.message for issue in issues if issue.field == "post_type"), "")


@dataclass(frozen=True, slots=True)
class AccountChoice:
    """The accounts that are switched on, out of those that there are.

    An account that can't take the present kind of post stays on, and waits for a kind that it takes.

    Attributes:
        known: Every account by key, in the order in which they were connected.
        reasons: By account key, why it can't be used for the present kind of post; "" where it can.
        on: Keys of the accounts that are switched on, usable or not.
        missing: Keys of accounts that a new draft is for, and that aren't known yet.
    """

    known: Mapping[str, Account] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    on: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()

    @property
    def chosen(self) -> tuple[str, ...]:
        """Keys of the accounts that are on and can be used, in the order of all accounts."""
        return tuple(key for key in self.known if key in self.on and not self.reasons[key])

    @property
    def waiting(self) -> tuple[str, ...]:
        """Keys of the accounts that are on and can't be used, or aren't known."""
        return tuple(sorted(self.on.difference(self.chosen)))

    def offer(self, accounts: Mapping[str, Account], post_type: PostType) -> Self:
        """Return the same choice among these accounts, for a kind of post."""
        known = dict(accounts)
        offered = replace(self, known=known, reasons=_reasons(known, post_type))
        if not self.missing or offered.chosen:
            return offered
        return replace(offered, on=self.on | (self.missing & known.keys()))

    def choose(self, wanted: Iterable[str], *, is_new: bool) -> Self:
        """Return it with these accounts alone on; of a new draft's those that are known, the others later."""
        keys = frozenset(wanted)
        on = frozenset(key for key in keys if key in self.known or not is_new)
        return replace(self, on=on, missing=keys - on)

    def switch(self, key: str, *, is_on: bool) -> Self:
        """Return it with an account on or off."""
        return replace(self, on=self.on | {key} if is_on else self.on - {key}, missing=frozenset())


def _reasons(accounts: Mapping[str, Account], post_type: PostType) -> dict[str, str]:
    """They differ by platform and access alone, so that thousands of accounts take no longer than a few."""
    known: dict[tuple[object, bool], str] = {}
    found = {}
    for key, account in accounts.items():
        kind = account.platform, account.is_available
        if kind not in known:
            known[kind] = unusable(account, post_type)
        found[key] = known[kind]
    return found
