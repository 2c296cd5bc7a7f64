"""Posts that failed while their account was disconnected, listed once it's reconnected."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.contract.enums import PostStatus
from app.workspace.accounts.account import Account
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
    """Whether a post certainly failed. One that may be live is never sent again automatically."""
    return (
        post is not None and post.status is PostStatus.FAILED and not post.may_be_live and not post.published
    )


class Interruptions:
    """Stores when accounts were disconnected, and which posts were listed."""

    def __init__(self, core: Core, accounts: Callable[[], Mapping[str, Account]]) -> None:
        self._core = core
        self._accounts = accounts
        self._lock = asyncio.Lock()

    async def ended(self) -> list[Interruption]:
        """Return the interruptions that ended since the last call, each post once. Raises Problem."""
        accounts, now = self._accounts(), self._core.clock()

        def work(rows: Connection) -> Mapping[str, int]:
            before = get_setting(rows, _NAME, _SHAPE) or {}
            lost = {key: since for key, since in before.items() if key not in accounts}
            lost |= {key: before.get(key, now) for key, one in accounts.items() if not one.is_available}
            if lost != before:
                put_setting(rows, _NAME, lost or None, _SHAPE)
            return {key: since for key, since in before.items() if key not in lost}

        async with self._lock:
            over = await self._core.write(work)
            failed = {key: posts for key, since in over.items() if (posts := self._failed(key, since))}
            earlier = await self._core.write(lambda rows: _offer(rows, failed, now)) if failed else {}
        found = (
            Interruption(accounts[key], tuple(post for post in posts if post.key not in earlier))
            for key, posts in failed.items()
        )
        return [one for one in found if one.posts]

    def _failed(self, account_key: str, since: int) -> tuple[PlannedPost, ...]:
        posts = self._core.mirror.timeline.between(since - _BEFORE_MS, self._core.clock())
        return tuple(post for post in posts if post.account_key == account_key and can_be_repeated(post))


def _offer(rows: Connection, failed: Mapping[str, Iterable[PlannedPost]], now: int) -> Mapping[str, int]:
    """Note that posts are listed; return those listed before.

    An account that is disconnected again soon has the same failed posts. The user may have published them
    since, and they'd be published twice. They're remembered until no interruption can contain them.
    """
    earlier = get_setting(rows, _OFFERED, _SHAPE) or {}
    since = min([now, *(get_setting(rows, _NAME, _SHAPE) or {}).values()])
    recent = {key: at for key, at in earlier.items() if at >= since - _BEFORE_MS}
    recent |= {post.key: post.at for posts in failed.values() for post in posts}
    put_setting(rows, _OFFERED, recent, _SHAPE)
    return earlier
