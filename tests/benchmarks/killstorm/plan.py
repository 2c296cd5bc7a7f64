"""The plan: posts of every type to every platform, spread over the storm, and later changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from random import Random
from typing import Final, Self

from app.contract.enums import PostingPlatform, PostType
from app.platforms.rules import RULES

# Needs a public address, which a storm on one machine doesn't have.
_LEFT_OUT: Final = {(PostingPlatform.TIKTOK, PostType.IMAGE)}
_IMAGES: Final = ("image-1", "image-2", "image-3")
_VIDEOS: Final = ("video-1", "upright")
_TAILS: Final = ("", " \U0001f33f", " Café & crème", " (a, b) [c] *d* @e_f", "\nA second line", " #linen")
_EARLY_S: Final = 2.0
"""Time before a post is due at which a change certainly precedes any attempt, in s."""

_NEVER: Final = datetime.max.replace(tzinfo=UTC)

ACCOUNTS: Final = 3
"""Number of connected accounts per platform."""


class Change(StrEnum):
    """A kind of change."""

    MOVE = "move"
    CANCEL = "cancel"
    RESUME = "resume"
    DELETE = "delete"


@dataclass
class Post:
    """A planned post, and the service's last response about it. Seconds count from the start of the storm.

    Attributes:
        due_s: When it's due; None to publish immediately on creation.
        created_s: When it's created; None before the storm.
        due: Earliest publication time according to the service's last response.
        removed_at: When the service confirmed that it was cancelled or deleted; None if it wasn't.
    """

    number: int
    platform: PostingPlatform
    kind: PostType
    account: int
    text: str
    title: str | None
    link: str | None
    file: str | None
    due_s: float | None
    created_s: float | None
    id: str = ""
    due: datetime = _NEVER
    removed_at: datetime | None = None


@dataclass(frozen=True)
class ChangeOfMind:
    """A change of a post; ``to_s`` is its new time."""

    at_s: float
    change: Change
    post: Post
    to_s: float = 0.0


@dataclass(frozen=True)
class Plan:
    """All posts and changes."""

    seed: int
    seconds: float
    posts: Sequence[Post]
    changes: Sequence[ChangeOfMind]

    @classmethod
    def drawn(cls, count: int, seconds: float, seed: int) -> Self:
        """Return the plan of a seed, which is the same for the same arguments."""
        random = Random(seed)  # noqa: S311  sample data
        kinds = [kind for kind in _kinds() if kind not in _LEFT_OUT]
        posts = [_post(number, *kinds[number % len(kinds)], seconds, random) for number in range(count)]
        movable = [
            post for post in posts if post.due_s is not None and post.due_s - _after(post) > 3 * _EARLY_S
        ]
        random.shuffle(movable)
        changes = [change for post in movable[: count // 8] for change in _changes(post, seconds, random)]
        return cls(seed, seconds, posts, sorted(changes, key=lambda change: change.at_s))


def _kinds() -> Iterator[tuple[PostingPlatform, PostType]]:
    for platform in PostingPlatform:
        for kind in sorted(RULES[platform].publishable):
            yield platform, kind


def _post(number: int, platform: PostingPlatform, kind: PostType, seconds: float, random: Random) -> Post:
    chance = random.random()
    created_s = random.uniform(0, seconds * 0.9) if chance < 0.4 else None
    earliest = 0.0 if created_s is None else created_s + 2
    due_s: float | None = random.uniform(earliest, max(seconds, earliest + 1))
    if 0.4 < chance < 0.5:
        due_s = seconds / 2  # many at one instant
    if chance < 0.05:
        due_s = None
    files = {PostType.IMAGE: _IMAGES, PostType.VIDEO: _VIDEOS}.get(kind)
    return Post(
        number=number,
        platform=platform,
        kind=kind,
        account=random.randrange(ACCOUNTS),
        text=f"Storm post {number:05d}{random.choice(_TAILS)}",
        title=f"Title {number}" if kind in RULES[platform].title_types else None,
        link=f"https://shop.example/{number}" if platform is PostingPlatform.PINTEREST else None,
        file=random.choice(files) if files else None,
        due_s=due_s,
        created_s=created_s,
    )


def _after(post: Post) -> float:
    """Return the earliest time at which a post can be changed."""
    return 0.0 if post.created_s is None else post.created_s + 1


def _changes(post: Post, seconds: float, random: Random) -> Iterator[ChangeOfMind]:
    due_s = post.due_s or 0.0
    early = random.uniform(_after(post), due_s - _EARLY_S)
    close = due_s + random.uniform(-0.4, 0.8)
    later = random.uniform(early + 2, seconds)
    roll = random.random()
    if roll < 0.35:
        yield ChangeOfMind(early, Change.MOVE, post, later)
    elif roll < 0.5:
        yield ChangeOfMind(early, Change.CANCEL, post)
    elif roll < 0.65:
        yield ChangeOfMind(early, Change.CANCEL, post)
        yield ChangeOfMind(early + 1, Change.RESUME, post, max(later, early + 3))
    elif roll < 0.75:
        yield ChangeOfMind(early, Change.DELETE, post)
    elif roll < 0.9:
        yield ChangeOfMind(close, Change.CANCEL, post)
    else:
        yield ChangeOfMind(close, Change.DELETE, post)
