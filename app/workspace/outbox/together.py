"""Several new posts in one call. What it leaves open is asked again, one post at a time."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from app.client import RateLimited, ServerFailed, ServiceAnswered, Unauthorized
from app.contract.limits import BULK_POSTS_MAX
from app.contract.posts import Post
from app.workspace.clock import to_millis
from app.workspace.core import Core
from app.workspace.outbox.calls import Answered, create_body
from app.workspace.outbox.delivery import Delivery, post_at
from app.workspace.outbox.intention import Intention
from app.workspace.store import loading
from app.workspace.store.rows import PostRow

PART: Final = BULK_POSTS_MAX
_NOT_A_REFUSAL = (Unauthorized, RateLimited, ServerFailed)


class Together:
    """Creates posts in parts of thirty.

    The answer of such a call names the posts that were stored; which item a rejection means, and what an item
    that was there before has become, the contract leaves open. Those posts are created once more alone: under
    their idempotency keys that makes no second post, and gives the post or the reason.
    """

    def __init__(self, core: Core, delivery: Delivery) -> None:
        self._core = core
        self._delivery = delivery
        self._alone: set[str] = set()

    def part_of(self, keys: Sequence[str]) -> list[str]:
        """Those of the posts that can be created in the next call together; empty when fewer than two can."""
        mirror = self._core.mirror
        self._alone &= mirror.unsent
        wanted = (key for key in keys if not mirror.intentions[key].wanted.cancelled)
        fitting = [key for key in wanted if key in mirror.unsent and key not in self._alone][:PART]
        return fitting if len(fitting) > 1 else []

    async def deliver(self, keys: Iterable[str]) -> None:
        """Creates posts; those that are still wanted afterwards have to be delivered one by one.

        Raises ClientError when the call shall be made again later, DatabaseError when an answer could not be
        kept.
        """
        begun = await asyncio.gather(*(self._begin(key) for key in await self._without_choices(keys)))
        wishes = {wish.key: wish for wish in begun if wish is not None}
        rows = await self._core.database.read(lambda connection: loading.post_rows(connection, list(wishes)))
        try:
            posts = await self._create(rows, wishes)
        except _NOT_A_REFUSAL:
            raise
        except ServiceAnswered:
            posts = []
        made = matched(rows, wishes, posts)
        self._alone.update(wishes.keys() - {row.key for row, _ in made})
        await asyncio.gather(
            *(
                self._delivery.confirmed(row.key, wishes[row.key], Answered(post=post), row)
                for row, post in made
            )
        )

    async def _without_choices(self, keys: Iterable[str]) -> list[str]:
        """Leaves out posts with a choice for TikTok: each needs a call of its own before it is created."""
        asked = list(keys)
        rows = await self._core.database.read(lambda connection: loading.post_rows(connection, asked))
        chosen = {row.key for row in rows if row.tiktok}
        self._alone |= chosen
        return [key for key in asked if key not in chosen]

    async def _begin(self, key: str) -> Intention | None:
        """None for a post that is not wanted any more."""
        wish, base = self._core.mirror.intentions.get(key), self._core.mirror.base(key)
        return None if wish is None or base is None else await self._delivery.begin(wish, base)

    async def _create(self, rows: Sequence[PostRow], wishes: dict[str, Intention]) -> list[Post]:
        if not rows:
            return []
        bodies = [create_body(row, post_at(wishes[row.key])) for row in rows]
        return (await self._core.client.create_posts(bodies)).posts


def matched(
    rows: Sequence[PostRow], wishes: dict[str, Intention], posts: Iterable[Post]
) -> list[tuple[PostRow, Post]]:
    """Which post came of which row, by everything that both of them say; each row and post at most once."""
    left = list(rows)
    found = []
    for post in posts:
        said = _said_by(post)
        row = next((row for row in left if _meant(row, wishes[row.key]) == said), None)
        if row is not None:
            left.remove(row)
            found.append((row, post))
    return found


def _said_by(post: Post) -> tuple[object, ...]:
    return (
        str(post.social_account_id),
        post.platform.value,
        post.post_type.value,
        post.description or "",
        post.title or "",
        post.media_storage_path,
        to_millis(post.scheduled_at) // 1_000,
    )


def _meant(row: PostRow, wish: Intention) -> tuple[object, ...]:
    return (
        row.account_key,
        row.platform,
        row.post_type,
        row.description or "",
        row.title or "",
        row.media_storage_path,
        post_at(wish) // 1_000,
    )
