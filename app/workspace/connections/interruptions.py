"""Posts that failed while their account was disconnected, listed once it's reconnected."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.contract.enums import PostStatus
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.posts.planned import PlannedPost
from app.workspace.store.tables import get_setting, put_setting

_NAME: Final = "disconnected"
_SHAPE: Final = TypeAdapter(dict[str, int])
_OFFERED: Final = "offered_again"
"""Setting: the times of posts that were already listed, by key."""
_BEFORE_MS: Final = 600_000
"""How long before the app noticed a disconnected account its failing post may have been due, in ms."""


@dataclass(frozen=True, slots=True)
class Interruption:
    """A reconnected account, and its posts that failed in the meantime, sorted by time."""

    account: Account
    posts: tuple[PlannedPost, ...]


def can_be_repeated(post: PlannedPost | None) -> bool:
    """Whether a post certainly failed. One that may be live is never sent again automatically.

    As long as the reason is unknown, it may be live.
    """
    return post is not None and _may_have_failed(post) and bool(post.reason)


def _may_have_failed(post: PlannedPost) -> bool:
    return post.status is PostStatus.FAILED and not post.may_be_live and not post.published


class Interruptions:
    """Stores when accounts were disconnected, and which posts were listed.

    ``explain`` has the reasons of failed posts requested soon.
    """

    def __init__(
        self,
        core: Core,
        accounts: Callable[[], Mapping[str, Account]],
        explain: Callable[[Collection[str]], None],
    ) -> None:
        self._core = core
        self._accounts = accounts
        self._explain = explain
        self._unexplained: set[str] = set()
        self._lock = asyncio.Lock()

    def may_have_ended(self, changes: Changes) -> bool:
        """Whether ``ended`` may return something new after these changes."""
        are_explained = not self._unexplained.isdisjoint(changes.posts | changes.removed)
        return changes.accounts or changes.reset or are_explained

    async def ended(self) -> list[Interruption]:
        """Return the interruptions that ended since the last call, each post once. Raises Problem.

        One with failed posts whose reasons aren't known yet is returned by a later call.
        """
        async with self._lock:
            accounts, now = self._accounts(), self._core.clock()
            before, earlier = await self._core.read(_load)
            lost = {key: since for key, since in before.items() if key not in accounts}
            lost |= {key: before.get(key, now) for key, one in accounts.items() if not one.is_available}
            over = {key: self._failed(key, since) for key, since in before.items() if key not in lost}
            lost |= {key: before[key] for key in self._unexplained_in(over, earlier)}
            failed = {key: posts for key, posts in over.items() if posts and key not in lost}
            offered = _offered(earlier, failed, min([now, *lost.values()])) if failed else {**earlier}
            if (lost, offered) != (before, earlier):
                # Together: if the app ended in between, the interruption would be over and nobody asked.
                await self._core.write(partial(_save, lost=lost, offered=offered))
        found = (
            Interruption(accounts[key], tuple(post for post in posts if post.key not in earlier))
            for key, posts in failed.items()
        )
        return [one for one in found if one.posts]

    def _unexplained_in(
        self, over: Mapping[str, Iterable[PlannedPost]], earlier: Collection[str]
    ) -> list[str]:
        """Return the accounts with failed posts without a reason, and have the reasons requested."""
        unexplained = {
            key: [post.key for post in posts if not post.reason and post.key not in earlier]
            for key, posts in over.items()
        }
        self._unexplained = {key for keys in unexplained.values() for key in keys}
        if self._unexplained:
            self._explain(self._unexplained)
        return [key for key, keys in unexplained.items() if keys]

    def _failed(self, account_key: str, since: int) -> tuple[PlannedPost, ...]:
        """Return the failed posts of an account, without those known to be possibly live."""
        posts = self._core.mirror.timeline.between(since - _BEFORE_MS, self._core.clock())
        return tuple(post for post in posts if post.account_key == account_key and _may_have_failed(post))


def _load(rows: Connection) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return since when accounts are disconnected, and the times of posts listed before."""
    return get_setting(rows, _NAME, _SHAPE) or {}, get_setting(rows, _OFFERED, _SHAPE) or {}


def _save(rows: Connection, *, lost: dict[str, int], offered: dict[str, int]) -> None:
    put_setting(rows, _NAME, lost or None, _SHAPE)
    put_setting(rows, _OFFERED, offered or None, _SHAPE)


def _offered(
    earlier: Mapping[str, int], failed: Mapping[str, Iterable[PlannedPost]], since: int
) -> dict[str, int]:
    """Return which posts are listed now or were before, with their times.

    An account that is disconnected again soon has the same failed posts. The user may have published them
    since, and they'd be published twice. They're remembered until no interruption can contain them.
    """
    recent = {key: at for key, at in earlier.items() if at >= since - _BEFORE_MS}
    return recent | {post.key: post.at for posts in failed.values() for post in posts}
