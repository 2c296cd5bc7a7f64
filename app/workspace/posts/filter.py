"""Which posts are looked at: by account, platform, status, kind, batch and words."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, fields, replace

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.posts.planned import PlannedPost


@dataclass(frozen=True, slots=True)
class PostFilter:
    """Empty sets and empty words let everything through.

    ``text`` is looked for in whole texts, so its hits are found by ``Workspace.matching``.
    """

    accounts: frozenset[str] = frozenset()
    platforms: frozenset[PostingPlatform] = frozenset()
    statuses: frozenset[PostStatus] = frozenset()
    kinds: frozenset[PostType] = frozenset()
    batches: frozenset[str] = frozenset()
    text: str = ""

    @property
    def is_on(self) -> bool:
        """Whether anything may be hidden."""
        return any(getattr(self, field.name) for field in fields(self))

    def select(
        self, posts: Iterable[PlannedPost], matching: Container[str] | None = None
    ) -> list[PlannedPost]:
        """The posts that are let through; ``matching`` are the keys of those with the words, None for all."""
        chosen = posts
        if self.accounts:
            chosen = [post for post in chosen if post.account_key in self.accounts]
        if self.platforms:
            chosen = [post for post in chosen if post.platform in self.platforms]
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
        """Adds an account to the chosen ones, or takes it out."""
        return replace(self, accounts=self.accounts ^ {key})
