"""Posts of the calendar: small, because a hundred thousand are in memory; sorted by time, and filtered."""

from bisect import bisect_left, insort
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum
from operator import attrgetter
from typing import NamedTuple
from weakref import WeakSet

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.platforms.cards import by_hand_key, is_by_hand

HEADLINE_MAX = 140
_RESORT_SHARE = 16
"""If more than 1/16 of the posts change, sorting all of them is cheaper than inserting each."""


def headline(title: str | None, text: str | None) -> str:
    """Return the title, or the first words, on one line of at most 140 characters."""
    for source in (title, text):
        # Ten times the length is enough to find the words without scanning a long text.
        line = " ".join((source or "")[: HEADLINE_MAX * 10].split())
        if line:
            return line if len(line) <= HEADLINE_MAX else line[: HEADLINE_MAX - 1].rstrip() + "…"
    return ""


def draft_key(draft_id: str, account_key: str) -> str:
    """Return the idempotency key of the post that a draft makes for an account."""
    return f"{draft_id}:{account_key}"


def draft_of(idempotency_key: str | None, account_key: str) -> str:
    """Return the ID of the draft that a post for an account was made from; empty without one."""
    draft, _, account = (idempotency_key or "").partition(":")
    return draft if account == account_key else ""


class SyncState(Enum):
    """Whether the service has confirmed the changes to a post."""

    SYNCED = "synced"
    WAITING = "waiting"
    SENDING = "sending"
    CONFLICT = "conflict"  # also changed elsewhere; the user has to choose


class PlannedPost(NamedTuple):
    """The content of a card.

    ``key`` identifies the post here and stays the same when the service assigns an ID. ``at`` is the publish
    time in milliseconds since 1970 UTC. ``headline`` is one line of at most 140 characters. ``reason`` says
    why a post failed, may be live, or waits in an inbox, otherwise it is empty; ``may_be_live``: the outcome
    is unknown. ``media`` is the storage path of its file, empty for none. ``draft`` is the ID of the draft
    that it was scheduled from here, empty if unknown. ``by_hand``: the user publishes it, although Kalends
    could.
    """

    key: str
    at: int
    account_key: str
    platform: PostingPlatform
    post_type: PostType
    status: PostStatus
    headline: str
    sync: SyncState = SyncState.SYNCED
    reason: str = ""
    may_be_live: bool = False
    published: bool = False
    batch_id: str | None = None
    media: str = ""
    draft: str = ""
    by_hand: bool = False

    @property
    def is_by_hand(self) -> bool:
        """Whether the user publishes it: all posts of such an account, and others on request."""
        return self.by_hand or is_by_hand(self.platform)

    @property
    def ruled_by(self) -> PostingPlatform:
        """The platform whose name, rules and caps apply: in its own composer, limits of its API don't."""
        return PostingPlatform(by_hand_key(self.platform)) if self.by_hand else self.platform

    @property
    def waits_for_user(self) -> bool:
        """Whether it's due, and the user publishes it by hand."""
        return self.status is PostStatus.PROCESSING and self.is_by_hand

    @property
    def is_in_inbox(self) -> bool:
        """Whether it's in the user's inbox on the platform, who publishes it there."""
        explained = self.status is PostStatus.PROCESSING and bool(self.reason)
        # One that may be live has a reason, too: its answer was lost.
        return explained and not self.may_be_live and not self.waits_for_user

    @property
    def needs_action(self) -> bool:
        """Whether it failed or may be live, so that it's never merely counted while others are shown."""
        return self.may_be_live or self.status is PostStatus.FAILED


@dataclass(frozen=True, slots=True)
class PostFilter:
    """A filter for posts. Empty sets and an empty text match everything.

    A platform also matches its posts published by hand. ``text`` is searched for in full texts, by
    ``Workspace.matching``.
    """

    accounts: frozenset[str] = frozenset()
    platforms: frozenset[PostingPlatform] = frozenset()
    statuses: frozenset[PostStatus] = frozenset()
    kinds: frozenset[PostType] = frozenset()
    batches: frozenset[str] = frozenset()
    text: str = ""

    @property
    def is_on(self) -> bool:
        """Whether the filter may hide posts."""
        return any(getattr(self, field.name) for field in fields(self))

    def select(
        self, posts: Iterable[PlannedPost], matching: Container[str] | None = None
    ) -> list[PlannedPost]:
        """Return the matching posts. ``matching`` are the keys of posts with the text; None means all."""
        chosen = posts
        if self.accounts:
            chosen = [post for post in chosen if post.account_key in self.accounts]
        if self.platforms:
            by_hand = {PostingPlatform(by_hand_key(one)) for one in self.platforms if by_hand_key(one)}
            wanted = self.platforms | by_hand
            chosen = [post for post in chosen if post.platform in wanted]
        if self.statuses:
            chosen = [post for post in chosen if post.status in self.statuses]
        if self.kinds:
            chosen = [post for post in chosen if post.post_type in self.kinds]
        if self.batches:
            chosen = [post for post in chosen if post.batch_id in self.batches]
        if matching is not None:
            chosen = [post for post in chosen if post.key in matching]
        return list(chosen)

    def with_account(self, key: str) -> "PostFilter":
        """Add an account to the filter, or remove it."""
        return replace(self, accounts=self.accounts ^ {key})


_order: Callable[[PlannedPost], tuple[int, str]] = attrgetter("at", "key")


class Timeline:
    """Posts sorted by (at, key). A change of one among 100,000 takes microseconds."""

    def __init__(self, posts: Iterable[PlannedPost] = ()) -> None:
        self._sorted = sorted(posts, key=_order)
        self._by_key = {post.key: post for post in self._sorted}
        self._readers: WeakSet[TimelineReader] = WeakSet()

    def __len__(self) -> int:
        return len(self._sorted)

    def __iter__(self) -> Iterator[PlannedPost]:
        return iter(self._sorted)

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    def all(self) -> list[PlannedPost]:
        """Return all posts as a new list."""
        return self._sorted.copy()

    def get(self, key: str) -> PlannedPost | None:
        return self._by_key.get(key)

    def reader(self) -> "TimelineReader":
        """Return the posts as they are now, for a reader that learns of changes only later."""
        reader = TimelineReader(self)
        self._readers.add(reader)
        return reader

    def between(self, start: int, end: int) -> list[PlannedPost]:
        """Return the posts of a half-open range, in ms."""
        return self._sorted[self._position((start, "")) : self._position((end, ""))]

    def next_scheduled(self, now: int) -> PlannedPost | None:
        """Return the first post that will be published after ``now``."""
        following = range(self._position((now + 1, "")), len(self._sorted))
        return next(
            (post for i in following if (post := self._sorted[i]).status is PostStatus.SCHEDULED), None
        )

    def apply(self, changed: Iterable[PlannedPost], removed: Iterable[str] = ()) -> None:
        """Remove posts, and insert new or changed ones."""
        arrivals = {post.key: post for post in changed}
        leaving = {key for key in (*removed, *arrivals) if key in self._by_key}
        for reader in self._readers:
            reader.keep(self._by_key[key] for key in leaving)
        if len(arrivals) + len(leaving) > 16 and (len(arrivals) + len(leaving)) * _RESORT_SHARE > len(self):
            self._rebuild(arrivals, leaving)
            return
        for key in leaving:
            del self._sorted[self._position(_order(self._by_key.pop(key)))]
        for post in arrivals.values():
            insort(self._sorted, post, key=_order)
        self._by_key.update(arrivals)

    def _rebuild(self, arrivals: dict[str, PlannedPost], leaving: set[str]) -> None:
        for key in leaving:
            del self._by_key[key]
        self._by_key.update(arrivals)
        self._sorted = sorted(self._by_key.values(), key=_order)

    def _position(self, order: tuple[int, str]) -> int:
        return bisect_left(self._sorted, order, key=_order)


class TimelineReader:
    """Posts as a reader knows them until it has handled their changes, without a copy of all posts."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._before: dict[str, PlannedPost] = {}
        """Earlier versions of posts that have changed or were removed since."""

    def get(self, key: str) -> PlannedPost | None:
        """Return the last version that the reader knows, or a post that it hasn't heard of yet."""
        return self._before.get(key) or self._timeline.get(key)

    def keep(self, posts: Iterable[PlannedPost]) -> None:
        """Keep posts that are about to change, unless an earlier version is kept."""
        for post in posts:
            self._before.setdefault(post.key, post)

    def catch_up(self, keys: Iterable[str]) -> None:
        """Continue with the current versions of some posts, because their changes were handled."""
        for key in keys:
            self._before.pop(key, None)
