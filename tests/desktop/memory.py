"""A workspace in memory, made of the real types: for tests and pictures of single panes."""

import time
from collections.abc import Callable, Iterable, Mapping

from app.contract.enums import PostStatus
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.timeline import Timeline
from app.workspace.sync.status import SyncStatus


class MemoryPlanner:
    """Moves and cancels at once; ``moves`` is what it was asked, in order."""

    def __init__(self, accounts: Iterable[Account] = (), posts: Iterable[PlannedPost] = ()) -> None:
        self.accounts: dict[str, Account] = {account.key: account for account in accounts}
        self.posts = Timeline(posts)
        self.moves: list[dict[str, int]] = []
        self.sync = SyncStatus(connected=True)
        self.now = int(time.time() * 1_000)
        self.undo_label: str | None = None
        self.redo_label: str | None = None
        self._listeners: list[Callable[[Changes], None]] = []

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def refusal(self, key: str, at: int) -> str | None:
        post = self.posts.get(key)
        if post is None or post.published:
            return "This post is already published."
        return "That time has passed." if at < self.now else None

    def move(self, times: Mapping[str, int]) -> None:
        self.moves.append(dict(times))
        moved = [post._replace(at=at) for key, at in times.items() if (post := self.posts.get(key))]
        self.change(*moved)

    def cancel(self, keys: Iterable[str]) -> None:
        found = [post for key in keys if (post := self.posts.get(key))]
        self.change(*(post._replace(status=PostStatus.CANCELLED) for post in found))

    def undo(self) -> None:
        last = self.moves.pop()
        self.change(*(post for key in last if (post := self.posts.get(key))))

    def redo(self) -> None:
        self.tell(Changes(undo=True))

    def change(self, *posts: PlannedPost, removed: Iterable[str] = ()) -> None:
        """Takes over posts as a sync would, and tells listeners."""
        gone = frozenset(removed)
        self.posts.apply(posts, gone)
        self.tell(Changes(posts=frozenset(post.key for post in posts), removed=gone))

    def tell(self, changes: Changes) -> None:
        for listener in tuple(self._listeners):
            listener(changes)
