"""Posts of one idea: written together, and published on several accounts at the same time."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from app.contract.enums import PostStatus, PostType
from app.workspace.posts.planned import PlannedPost, SyncState

Idea = tuple[PlannedPost, ...]
"""The posts of one idea, each for a different account, the most urgent one first."""


def by_idea(posts: Sequence[PlannedPost]) -> list[Idea]:
    """Group posts of one time by idea, the most urgent post of each first; ideas are in any order.

    Posts belong to one idea if they were scheduled from one draft, also with a text per account, have the
    same text, or were created in one batch. Without a text, the same file is enough. Cancelled posts are only
    grouped with other cancelled ones, because they don't move.
    """
    words = {post.headline for post in posts if not post.batch_id}
    drafts = [post.draft for post in posts if post.draft]
    if len(words) == len(posts) and "" not in words and len(set(drafts)) == len(drafts):
        return [(post,) for post in posts]  # the usual case; ten times as fast
    ideas = [idea for related in _related(posts) for idea in _each_account_once(related)]
    return [tuple(sorted(idea, key=_order)) for idea in ideas]


def idea_of(post: PlannedPost, posts: Sequence[PlannedPost]) -> Idea:
    """Return the idea that a post belongs to, among the posts of its time."""
    return next((idea for idea in by_idea(posts) if any(one.key == post.key for one in idea)), (post,))


def _related(posts: Sequence[PlannedPost]) -> list[list[PlannedPost]]:
    """Join posts that share a trait, directly or through others."""
    groups: dict[Hashable, list[PlannedPost]] = {}
    for post in posts:
        traits = _traits(post)
        known = {id(group): group for trait in traits if (group := groups.get(trait)) is not None}
        joined = max(known.values(), key=len, default=[])
        for group in known.values():
            if group is not joined:
                joined += group
                groups.update((trait, joined) for one in group for trait in _traits(one))
        joined.append(post)
        groups.update(dict.fromkeys(traits, joined))
    return list({id(group): group for group in groups.values()}.values())


def _traits(post: PlannedPost) -> list[Hashable]:
    is_cancelled = post.status is PostStatus.CANCELLED
    found: list[Hashable] = [("batch", post.batch_id, is_cancelled)] if post.batch_id else []
    if post.draft:
        found.append(("draft", post.draft, is_cancelled))
    if post.headline:
        found.append(("words", post.headline, is_cancelled))
    elif post.media:
        found.append(("file", post.media, is_cancelled))
    return found or [("post", post.key)]


def _each_account_once(posts: Sequence[PlannedPost]) -> list[list[PlannedPost]]:
    """Split posts so that each part contains at most one post per account."""
    parts: list[list[PlannedPost]] = []
    counts: defaultdict[str, int] = defaultdict(int)
    for post in sorted(posts, key=lambda one: one.key):
        number = counts[post.account_key]
        counts[post.account_key] += 1
        if number == len(parts):
            parts.append([])
        parts[number].append(post)
    return parts


def _order(post: PlannedPost) -> tuple[int, bool, str]:
    """Return the sort key: by urgency, then posts with a file first."""
    return _urgency(post), post.post_type is PostType.TEXT, post.key


def _urgency(post: PlannedPost) -> int:
    """Return 0 for the most urgent state. Unsynced changes make no difference."""
    if post.may_be_live:
        return 1
    if post.status is PostStatus.FAILED:
        return 0
    if post.published or post.status is PostStatus.POSTED:
        return 6
    if post.sync is SyncState.CONFLICT:
        return 2
    if post.waits_for_user or post.is_in_inbox:
        return 3
    return 4 if post.status in (PostStatus.QUEUED, PostStatus.PROCESSING) else 5
