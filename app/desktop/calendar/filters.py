"""Which posts the calendar shows: by account, status and kind."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.contract.enums import PostStatus, PostType
from app.workspace.posts.planned import PlannedPost

STATUS_NAMES = {
    PostStatus.SCHEDULED: "Scheduled",
    PostStatus.QUEUED: "Queued",
    PostStatus.PROCESSING: "Being published",
    PostStatus.POSTED: "Published",
    PostStatus.FAILED: "Failed",
    PostStatus.CANCELLED: "Cancelled",
}
KIND_NAMES = {PostType.TEXT: "Text", PostType.IMAGE: "Image", PostType.VIDEO: "Video"}


@dataclass(frozen=True, slots=True)
class Filter:
    """None or an empty set lets everything through."""

    accounts: frozenset[str] = frozenset()
    status: PostStatus | None = None
    kind: PostType | None = None

    @property
    def is_on(self) -> bool:
        """Whether anything may be hidden."""
        return bool(self.accounts) or self.status is not None or self.kind is not None

    def lets_through(self, post: PlannedPost) -> bool:
        """Whether a post is shown."""
        return (
            (not self.accounts or post.account_key in self.accounts)
            and (self.status is None or post.status is self.status)
            and (self.kind is None or post.post_type is self.kind)
        )

    def select(self, posts: Iterable[PlannedPost]) -> list[PlannedPost]:
        """The posts that are shown."""
        return [post for post in posts if self.lets_through(post)] if self.is_on else list(posts)

    def with_account(self, key: str) -> "Filter":
        """Adds an account to the chosen ones, or takes it out."""
        return replace(self, accounts=self.accounts ^ {key})
