"""Keeps up with the service: everything at first, then what is new, what is due, and the accounts."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from uuid import UUID

from app.client import ClientError, NotFound
from app.contract.connections import Connection
from app.contract.enums import PostStatus
from app.contract.posts import Post, PostListQuery
from app.database import DatabaseError
from app.workspace.accounts.book import AccountBook, save_accounts
from app.workspace.changes import Changes
from app.workspace.clock import from_millis
from app.workspace.core import Core
from app.workspace.problems import problem_of
from app.workspace.sync.due import DuePosts
from app.workspace.sync.intake import Intake
from app.workspace.sync.link import Link
from app.workspace.sync.reasons import UNTOLD, reason
from app.workspace.sync.stream import ChangeStream, Ears

_DUE_IN_A_ROUND = 100
_LOOKS_AT_ONCE = 8
_EXPLAINED_AT_ONCE = 50

_log = logging.getLogger(__name__)


class Sync:
    """Runs until cancelled. ``on_contact`` is called whenever the service was reached."""

    def __init__(self, core: Core, book: AccountBook, link: Link, on_contact: Callable[[], None]) -> None:
        self.syncing = False
        self.last_synced: datetime | None = None
        self.active = True
        self._core = core
        self._book = book
        self._link = link
        self._on_contact = on_contact
        self._intake = Intake(core)
        self._due = DuePosts(core.mirror, core.clock, core.pace)
        self._lock = asyncio.Lock()
        self._wake = asyncio.Event()
        self._next_poll = 0.0
        self._next_everything = 0.0
        self._unexplained: dict[str, None] = {}
        self._tells_attempts = False
        self._followed = False
        self._asks_for_news = False
        self._listing_asked = False
        self.stream = ChangeStream(
            core, Ears(self._follow, self._need_everything, self._take_post, self._need_news)
        )
        core.changes.add(self._notice)

    @property
    def tells_attempts(self) -> bool:
        """Whether the service tells of attempts to publish."""
        return self._tells_attempts

    async def run(self) -> None:
        self._find_unexplained(frozenset(post.key for post in self._core.mirror.timeline))
        while True:
            await self._round()
            self._wake.clear()
            try:
                async with asyncio.timeout(self._core.pace.tick):
                    await self._wake.wait()
            except TimeoutError:
                pass

    async def everything(self) -> None:
        """Synchronizes now. Raises Problem when that fails."""
        self._link.retry_now()
        try:
            async with self._call():
                await self._pull_everything()
        except (ClientError, DatabaseError) as error:
            raise problem_of(error) from error

    def set_active(self, active: bool) -> None:
        """Whether somebody is looking; then news come sooner."""
        self.active = active
        if active:
            self._next_poll = 0.0
            self._wake.set()

    async def take_connection(self, connection: Connection) -> None:
        """A connection that arrived by itself."""
        self._book.add(connection)
        self._core.changes.tell(Changes(accounts=True))
        await self._save_accounts()

    async def _round(self) -> None:
        if self._link.wait:
            return
        now = asyncio.get_running_loop().time()
        try:
            if now >= self._next_everything:
                async with self._call():
                    await self._pull_everything()
            elif now >= self._next_poll and (self._asks_for_news or not self._followed):
                async with self._call():
                    await self._pull_news()
            if due := self._due.take(_DUE_IN_A_ROUND):
                async with self._call():
                    await self._look_at(due)
            if self._unexplained and self._link.connected:
                async with self._call():
                    await self._explain()
        except ClientError as error:
            _log.info("synchronization failed: %s", type(error).__name__)
        except DatabaseError:
            _log.exception("what the service said could not be kept")
            self._next_poll = now + self._core.pace.poll_idle

    @asynccontextmanager
    async def _call(self) -> AsyncIterator[None]:
        async with self._lock:
            try:
                yield
            except ClientError as error:
                self._link.failed(error)
                raise
            self._link.succeeded()
        self._on_contact()

    async def _pull_everything(self) -> None:
        started = asyncio.get_running_loop().time()
        self._show_syncing(True)
        try:
            await self._ask_companion()
            self._listing_asked = False
            await self._pull_connections()
            await self._pull_all_posts()
        finally:
            self._show_syncing(False)
        self._synced()
        took = asyncio.get_running_loop().time() - started
        pace = self._core.pace
        every = pace.everything_followed if self._followed else pace.everything
        # A listing of many thousand posts is repeated no oftener than a twentieth of the time.
        self._next_everything = 0.0 if self._listing_asked else started + max(every, 20 * took)

    async def _pull_all_posts(self) -> None:
        mirror = self._core.mirror
        generation = mirror.generation
        candidates = {post.key for post in mirror.timeline if post.key not in mirror.unsent}
        seen: set[str] = set()
        asked = generation
        async for page in self._core.client.posts(PostListQuery(limit=100)):
            seen.update(mirror.key_of(post.id) for post in page.data)
            await self._intake.take(page.data, asked)
            asked = mirror.generation
        await self._intake.remove_missing(candidates, seen, generation)
        self._due.watch_all()

    async def _pull_news(self) -> None:
        self._asks_for_news = False
        await self._pull_connections()
        query = PostListQuery(limit=100)
        while True:
            asked = self._core.mirror.generation
            page = await self._core.client.list_posts(query)
            unknown = await self._intake.take(page.data, asked)
            if unknown < len(page.data) or page.next_cursor is None:
                break
            query = query.model_copy(update={"cursor": page.next_cursor})
        self._synced()

    async def _pull_connections(self) -> None:
        found: list[Connection] = []
        async for page in self._core.client.connections():
            found.extend(page.data)
        if self._book.replace_all(found):
            self._core.changes.tell(Changes(accounts=True))
            await self._save_accounts()

    async def _save_accounts(self) -> None:
        listed = tuple(self._book.listed.values())
        await self._core.write(lambda transaction: save_accounts(transaction, listed))

    async def _ask_companion(self) -> None:
        root = await self._core.client.companion()
        self._tells_attempts = root is not None and "attempts" in root.offers
        await self.stream.offer(offered=root is not None and "events" in root.offers)
        if root is not None and self._book.set_practice(root.practice):
            self._core.changes.tell(Changes(accounts=True, reset=True))

    def _follow(self, listening: bool) -> None:
        if listening and self.last_synced:  # before that, contact means that everything was listed once
            self._link.succeeded()
            self._on_contact()
        elif self._followed and not listening:
            now = asyncio.get_running_loop().time()
            self.last_synced = from_millis(self._core.clock())
            self._next_poll = 0.0
            self._next_everything = min(self._next_everything, now + self._core.pace.everything)
            self._wake.set()
        self._followed = listening

    def _need_everything(self) -> None:
        self._listing_asked = True
        self._next_everything = 0.0
        self._wake.set()

    def _need_news(self) -> None:
        self._asks_for_news = True
        self._next_poll = 0.0
        self._wake.set()

    async def _take_post(self, post_id: UUID, post: Post | None) -> None:
        mirror = self._core.mirror
        if post is None:
            key = mirror.key_of(post_id)
            await self._intake.remove((key,) if key in mirror.timeline else ())
        else:
            await self._intake.take([post], mirror.generation)

    async def _look_at(self, keys: list[str]) -> None:
        for start in range(0, len(keys), _LOOKS_AT_ONCE):
            await asyncio.gather(*map(self._look, keys[start : start + _LOOKS_AT_ONCE]))

    async def _look(self, key: str) -> None:
        service_id = self._core.mirror.service_id(key)
        if service_id is None:
            return
        asked = self._core.mirror.generation
        post = await self._post_or_gone(key, service_id)
        if post is not None:
            await self._intake.take([post], asked)
            if post.status is PostStatus.PROCESSING:
                self._unexplained[key] = None

    async def _post_or_gone(self, key: str, service_id: UUID) -> Post | None:
        try:
            return await self._core.client.get_post(service_id)
        except NotFound:
            await self._intake.remove((key,))
            return None

    async def _explain(self) -> None:
        for key in tuple(self._unexplained)[:_EXPLAINED_AT_ONCE]:
            post, service_id = self._core.mirror.base(key), self._core.mirror.service_id(key)
            if post is not None and service_id is not None:
                words, may_be_live = await self._reason(post.status, service_id)
                await self._intake.explain(key, words, may_be_live=may_be_live)
            self._unexplained.pop(key, None)

    async def _reason(self, status: PostStatus, service_id: UUID) -> tuple[str, bool]:
        if not self._tells_attempts:
            return (UNTOLD if status is PostStatus.FAILED else ""), False
        try:
            attempts = await self._core.client.attempts(service_id)
        except NotFound:
            return reason(status, ())
        return reason(status, attempts.data)

    def _notice(self, changes: Changes) -> None:
        if changes.posts:
            self._due.note(changes.posts)
            self._find_unexplained(changes.posts)

    def _find_unexplained(self, keys: frozenset[str]) -> None:
        mirror = self._core.mirror
        for key in keys:
            post = mirror.base(key)
            if post and post.status is PostStatus.FAILED and not post.reason and key not in mirror.unsent:
                self._unexplained[key] = None

    def _show_syncing(self, syncing: bool) -> None:
        self.syncing = syncing
        self._core.changes.tell(Changes(sync=True))

    def _synced(self) -> None:
        now = asyncio.get_running_loop().time()
        pace = self._core.pace
        self._next_poll = now + (pace.poll_active if self.active else pace.poll_idle)
        self.last_synced = from_millis(self._core.clock())
        self._core.changes.tell(Changes(sync=True))
