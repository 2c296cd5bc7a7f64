"""Sends changes until they're confirmed: in order for one post, in parallel for several."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from app.client import (
    ClientError,
    RateLimited,
    ServerFailed,
    ServiceAnswered,
    ServiceUnreachable,
    TimedOut,
    Unauthorized,
)
from app.contract.limits import BULK_POSTS_MAX
from app.contract.posts import Post
from app.database import DatabaseError
from app.platforms.cards import COMPANION_NETWORKS
from app.workspace.changes import Changes
from app.workspace.clock import to_millis
from app.workspace.core import Core
from app.workspace.outbox.calls import Answered, create_body
from app.workspace.outbox.delivery import Delivery, post_at
from app.workspace.outbox.intention import Intention
from app.workspace.problems import problem_of
from app.workspace.store import loading
from app.workspace.store.journal import Journal
from app.workspace.store.loading import PostRow
from app.workspace.sync.link import Link

PART: Final = BULK_POSTS_MAX
_NOT_A_REFUSAL = (Unauthorized, RateLimited, ServerFailed)
_PARALLEL = 8
_OFTEN = 3
_log = logging.getLogger(__name__)
_CONCERNS_ALL = (ServiceUnreachable, TimedOut, Unauthorized, RateLimited)


class Together:
    """Creates posts in batches of thirty.

    The answer to such a call lists the posts that were stored. The contract doesn't say which item a
    rejection refers to, or what happened to an item that existed before. Those posts are created again one by
    one: because of their idempotency keys, this returns the existing post or the reason, and makes no
    duplicate.
    """

    def __init__(self, core: Core, delivery: Delivery) -> None:
        self._core = core
        self._delivery = delivery
        self._alone: set[str] = set()

    def part_of(self, keys: Sequence[str]) -> list[str]:
        """Return the posts that the next call can create in a batch; empty if fewer than two."""
        mirror = self._core.mirror
        self._alone &= mirror.unsent
        wanted = (key for key in keys if not mirror.intentions[key].wanted.cancelled)
        fitting = [key for key in wanted if key in mirror.unsent and self._can_join(key)][:PART]
        return fitting if len(fitting) > 1 else []

    def _can_join(self, key: str) -> bool:
        """Whether a post can be created in a batch: only the specified API has such a call."""
        base = self._core.mirror.base(key)
        if base is None or key in self._alone:
            return False
        return base.platform not in COMPANION_NETWORKS and not base.by_hand

    async def deliver(self, keys: Iterable[str]) -> None:
        """Create posts; those still wanted afterwards have to be delivered one by one.

        Raises ClientError if the call has to be made again later, DatabaseError if an answer couldn't be
        stored.
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
        storing = (
            self._delivery.confirmed(row.key, wishes[row.key], Answered(post=post), row) for row, post in made
        )
        # All of them, even if one fails: the others count as being sent until they're stored.
        for result in await asyncio.gather(*storing, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    async def _without_choices(self, keys: Iterable[str]) -> list[str]:
        """Leave out posts with a choice for TikTok: each needs a separate call before it is created."""
        asked = list(keys)
        rows = await self._core.database.read(lambda connection: loading.post_rows(connection, asked))
        chosen = {row.key for row in rows if row.tiktok}
        self._alone |= chosen
        return [key for key in asked if key not in chosen]

    async def _begin(self, key: str) -> Intention | None:
        """Record that the call begins; return the intention, or None if the post isn't wanted any more."""
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
    """Match rows and posts by all their values; each row and post at most once."""
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


class Outbox:
    """Sends changes until cancelled. A call that is cancelled midway is repeated after a restart."""

    def __init__(self, core: Core, journal: Journal, link: Link, delivery: Delivery) -> None:
        self._core = core
        self._loop = asyncio.get_running_loop()
        self._journal = journal
        self._link = link
        self._delivery = delivery
        self._together = Together(core, delivery)
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failures: dict[str, int] = {}
        self._why: dict[str, str] = {}
        self._not_before: dict[str, float] = {}
        core.changes.add(self._notice)

    def wake(self) -> None:
        """Check whether something is ready to be sent."""
        self._wake.set()

    def _notice(self, changes: Changes) -> None:
        """Note changed posts, which may be ready now: a late call undid a change, or a conflict is over."""
        if not changes.posts.isdisjoint(self._core.mirror.intentions):
            self.wake()

    def hold(self, keys: Iterable[str], seconds: float) -> None:
        """Hold these posts back for a while, so that they can still be undone."""
        until = self._loop.time() + seconds
        self._not_before.update(dict.fromkeys(keys, until))

    async def run(self) -> None:
        try:
            while True:
                self._wake.clear()
                # Read the clock once: a post that becomes due between two readings would wait forever.
                now, wait = self._loop.time(), self._link.wait
                if not wait:
                    self._start_ready(now)
                if not self._tasks:
                    self._delivery.refusals.tell()
                self._tell_held_up()
                await self._pause(now, wait)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start_ready(self, now: float) -> None:
        if self._link.blocked:
            return
        # While the service is unreachable, one post is enough to find out that it is back.
        room = (_PARALLEL if self._link.connected else 1) - len(self._tasks)
        ready = [key for key in self._core.mirror.intentions if self._is_ready(key, now)] if room > 0 else []
        while ready and room > 0:
            keys = (self._together.part_of(ready) if self._link.connected else []) or ready[:1]
            self._start(tuple(keys))
            ready = [key for key in ready if key not in keys]
            room -= 1

    def _is_ready(self, key: str, now: float) -> bool:
        mirror = self._core.mirror
        held = key in mirror.sending or key in mirror.conflicts or mirror.is_held(key)
        return not held and self._journal.is_saved(key) and self._not_before.get(key, 0.0) <= now

    def _start(self, keys: tuple[str, ...]) -> None:
        self._show_sending(keys, sending=True)
        task = asyncio.get_running_loop().create_task(self._send(keys))
        self._tasks.add(task)
        task.add_done_callback(partial(self._finished, keys))

    def _finished(self, keys: tuple[str, ...], task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("a change could not be sent", exc_info=error)
            self._put_off(keys)
        self._wake.set()

    async def _send(self, keys: tuple[str, ...]) -> None:
        try:
            await (self._together.deliver(keys) if len(keys) > 1 else self._delivery.deliver(keys[0]))
        except _CONCERNS_ALL as error:
            self._link.failed(error)
        except ClientError as error:
            _log.info("a change could not be sent: %s", type(error).__name__)  # maybe only of this post
            self._put_off(keys)
            self._why |= dict.fromkeys(keys, problem_of(error).text)
        except DatabaseError:
            _log.exception("a confirmation could not be kept; it is asked for again")
            self._put_off(keys)
        else:
            for key in keys:
                self._failures.pop(key, None)
                self._not_before.pop(key, None)
                self._why.pop(key, None)
            self._link.succeeded()
        finally:
            self._show_sending(keys, sending=False)

    def _put_off(self, keys: tuple[str, ...]) -> None:
        pace, now = self._core.pace, asyncio.get_running_loop().time()
        for key in keys:
            self._failures[key] = failures = self._failures.get(key, 0) + 1
            self._not_before[key] = now + min(pace.backoff_max, pace.backoff * 2.0 ** min(failures, 16))

    def _tell_held_up(self) -> None:
        """Show a problem if a post fails repeatedly, until it's sent or removed.

        A single failure may be a coincidence.
        """
        self._why = {key: why for key, why in self._why.items() if key in self._core.mirror.intentions}
        often = (why for key, why in self._why.items() if self._failures.get(key, 0) >= _OFTEN)
        self._link.hold_up(next(often, None))

    def _show_sending(self, keys: tuple[str, ...], *, sending: bool) -> None:
        mirror = self._core.mirror
        for key in keys:
            mirror.set_sending(key, sending=sending)
        if shown := frozenset(key for key in keys if key in mirror.timeline):
            self._core.changes.tell(Changes(posts=shown, sync=True))

    async def _pause(self, now: float, wait: float) -> None:
        """Wait for an event, or until a post is ready; ``wait`` is the delay the service requested, in s."""
        due = [now + wait] if wait > 0 else []
        due += [until for until in self._not_before.values() if until > now]
        try:
            async with asyncio.timeout_at(min(due) if due and self._core.mirror.intentions else None):
                await self._wake.wait()
        except TimeoutError:
            pass
