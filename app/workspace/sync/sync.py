"""Synchronises with the service: everything first, then news, due posts, and the accounts."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from math import inf
from uuid import UUID

from app.client import (
    ACCOUNTS_MAX,
    AnswerNotUnderstood,
    ClientError,
    EnvelopeMissing,
    ListTooLong,
    NotFound,
    ServerFailed,
)
from app.contract.companion import CompanionRoot, PostRangeQuery
from app.contract.connections import Connection
from app.contract.enums import PostStatus
from app.contract.limits import POST_RANGE_LIMIT_MAX
from app.contract.pagination import Page
from app.contract.posts import Post
from app.database import DatabaseError
from app.language import tr, trn
from app.platforms.cards import CARDS
from app.workspace.accounts.account import Account
from app.workspace.accounts.book import AccountBook, save_accounts
from app.workspace.changes import Changes
from app.workspace.clock import LAST_MOMENT, from_millis
from app.workspace.core import Core
from app.workspace.drafts.salvage import Salvage
from app.workspace.messages import Message
from app.workspace.problems import problem_of
from app.workspace.sync.intake import Intake
from app.workspace.sync.link import Link
from app.workspace.sync.looks import Explanations, Looks
from app.workspace.sync.polling import Listing, Polling, Relisting, can_go_on
from app.workspace.sync.status import SyncStatus
from app.workspace.sync.stream import ChangeStream, Ears, Position, save_position

_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC), from_millis(LAST_MOMENT)

_log = logging.getLogger(__name__)


class Sync:
    """Runs until cancelled. Calls ``on_contact`` whenever the service was reached."""

    def __init__(
        self,
        core: Core,
        book: AccountBook,
        link: Link,
        position: Position,
        salvage: Salvage,
        on_contact: Callable[[], None],
    ) -> None:
        self.syncing = False
        self.listed: int | None = None
        self.last_synced: datetime | None = None
        self.active = True
        self.offers: frozenset[str] = frozenset()
        self._core = core
        self._book = book
        self._link = link
        self._on_contact = on_contact
        self._intake = Intake(core, salvage)
        self.explanations = Explanations(core, self._intake)
        self._looks = Looks(core, self._intake, self.explanations)
        self._polling = Polling(core, self._intake, self._looks)
        self._listing: Listing | None = None
        self._lock = asyncio.Lock()
        self._wake = asyncio.Event()
        self._next_poll = 0.0
        self._relisting = Relisting(core.pace)
        self._greeted = False
        self._has_companion, self._missed_at = False, inf
        self._next_health = 0.0
        self._clock_ahead: int | None = None
        self._accounts_changed = False
        self._has_told_too_many = False
        self._list_not_before = 0.0
        self._saved = position
        self._has_listed = position.listed
        self._save_at = 0.0
        self.stream = ChangeStream(core, self._ears(), position.event)
        core.client.notice(link.heard)
        core.changes.add(self._notice)

    def _ears(self) -> Ears:
        tell = self._core.changes.tell
        return Ears(
            self._follow,
            self._need_everything,
            self._take_post,
            self._need_accounts,
            files=lambda: tell(Changes(files=True)),
            deliveries=lambda: tell(Changes(deliveries=True)),
        )

    async def run(self) -> None:
        self.explanations.note_all()
        while True:
            await self._round()
            self._wake.clear()
            try:
                async with asyncio.timeout(self._core.pace.tick):
                    await self._wake.wait()
            except TimeoutError:
                pass

    async def everything(self) -> None:
        """Synchronise now. Raises Problem."""
        self._link.retry_now()
        try:
            async with self._call():
                await self._greet()
                self._listing = None
                await self._list_everything()
        except (ClientError, DatabaseError) as error:
            raise problem_of(error) from error

    def status(self, saving: int) -> SyncStatus:
        """Return the state of the sync; ``saving`` is the number of posts with changes not on disk yet."""
        return SyncStatus(
            connected=self._link.connected,
            last_synced=self._last_heard() if self._link.is_current else self.last_synced,
            waiting=len(self._core.mirror.intentions),
            problem=self._link.problem or self._clock_problem(),
            syncing=self.syncing,
            saving=saving,
            conflicts=len(self._core.mirror.conflicts),
            listed=self.listed,
            followed=self._link.is_followed,
            key_refused=self._link.blocked,
            trouble=self._link.trouble,
            silent_since=self._last_heard() if self._link.is_silent else None,
        )

    def _last_heard(self) -> datetime:
        """Return the time of the last response or event; now, unless a response is overdue."""
        now = from_millis(self._core.clock())
        return now - timedelta(seconds=self._link.quiet_for) if self._link.is_silent else now

    def set_active(self, active: bool) -> None:
        """Set whether the user is looking at the app, so that news arrives sooner."""
        self.active = active
        if active:
            self._next_poll = 0.0
            self._wake.set()

    def check_soon(self) -> None:
        """Contact the service in the next round, so that ``status`` follows."""
        self._next_health = self._next_poll = 0.0
        self._wake.set()

    def explain_soon(self, keys: Iterable[str]) -> None:
        """Find out why these posts failed, in the next rounds."""
        for key in keys:
            self.explanations.add(key)
        self._wake.set()

    async def take_connection(self, connection: Connection) -> Account:
        """Store a new or renewed connection, and return its account.

        It stays even if a list that was requested before leaves it out.
        """
        account = self._book.add(connection)
        self._core.changes.tell(Changes(accounts=True))
        await self._save_accounts()
        return account

    async def take_post(self, post: Post, generation: int) -> None:
        """Store the answer to a call that changed a post, made at ``generation``."""
        await self._intake.take_newest(post, generation)

    async def reload_connections(self) -> None:
        """Request all connections now. Raises ClientError or DatabaseError."""
        async with self._call():
            await self._pull_connections()

    async def save(self) -> None:
        """Store the position in the stream, so the next start resumes there.

        While everything is being listed, the next start has to list it again.
        """
        if self._intake.has_passed_over or self._looks.are_wanted:
            return
        position = Position(self._has_listed and self._listing is None, self.stream.position)
        if position != self._saved:
            await self._core.commit(lambda transaction: save_position(transaction, position))
            self._saved = position

    async def _round(self) -> None:
        if self._link.wait:
            return
        try:
            if not self._greeted:
                async with self._call():
                    await self._greet()
            await self._keep_up()
            is_silent = self._link.is_followed and self._link.quiet_for >= self._core.pace.silence
            if is_silent or self._wants_health():
                async with self._call():
                    root = await self._ask_companion()
                    self._note_health(root)
                    self._greeted = (root is not None) == self._has_companion
            if due := self._looks.take(followed=self._link.is_followed):
                async with self._call():
                    await self._looks.look_at(due)
            if self.explanations.are_wanted and self._link.connected:
                async with self._call():
                    await self.explanations.explain()
            if self._link.is_current:
                await self._intake.forget_late()
            await self._save_now_and_then()
        except ClientError as error:
            _log.info("synchronization failed: %s", type(error).__name__)
        except DatabaseError as error:
            _log.warning("what the service said could not be kept: %s", error)
            self._next_poll = asyncio.get_running_loop().time() + self._core.pace.poll_idle

    async def _keep_up(self) -> None:
        now = asyncio.get_running_loop().time()
        if not self._has_listed and now < self._list_not_before:
            return  # a stream that keeps requesting a list of everything
        is_due = self._relisting.is_due or (self._link.is_followed and self._intake.wants_second_look)
        if not self._has_listed or is_due:
            async with self._call():
                await self._list_everything()
        elif now >= self._next_poll and not self._link.is_followed:
            async with self._call():
                await self._poll()
        elif self._accounts_changed:
            async with self._call():
                await self._pull_connections()

    async def _save_now_and_then(self) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._save_at:
            self._save_at = now + self._core.pace.save_position
            await self.save()

    @asynccontextmanager
    async def _call(self) -> AsyncIterator[None]:
        async with self._lock:
            try:
                with self._link.asking():
                    yield
            except ClientError as error:
                self._link.failed(error)
                if isinstance(error, AnswerNotUnderstood | ServerFailed):
                    self._relisting.heard_nonsense()
                is_list_gone = isinstance(error, NotFound | EnvelopeMissing)  # perhaps with the companion API
                self._greeted = self._greeted and self._link.connected and not is_list_gone
                raise
            self._link.succeeded()
        self._on_contact()

    async def _greet(self) -> None:
        """Request the service's capabilities and accounts."""
        root = await self._ask_companion()
        self._has_companion = root is not None
        self._note_health(root)
        before, self.offers = self.offers, frozenset(root.offers if root else ())
        if self.offers != before:
            self._core.changes.tell(Changes(sync=True))
        self.explanations.tells_attempts = "attempts" in self.offers
        self._polling.has_places = "places" in self.offers
        if root is not None and self._book.set_practice(root.practice):
            self._core.changes.tell(Changes(accounts=True, reset=True))
        await self._pull_connections()
        await self.stream.offer(offered="events" in self.offers)
        self._greeted = True
        self._relisting.greeted()
        if self._link.is_followed and self._has_listed:
            self._synced()

    async def _ask_companion(self) -> CompanionRoot | None:
        """Return the companion API's root; None if the service has none.

        Raises AnswerNotUnderstood if it had one a moment ago: a proxy may answer while the service restarts.
        """
        root, now = await self._core.client.companion(), asyncio.get_running_loop().time()
        if root is not None:
            self._missed_at = inf
        if root is not None or not self._has_companion:
            return root
        self._missed_at = min(self._missed_at, now)
        if now - self._missed_at < self._core.pace.companion_gone:
            raise AnswerNotUnderstood("the companion API is missing")
        return None

    def _wants_health(self) -> bool:
        """Whether to request the health now; soon after a failure, as the next request may be far off."""
        return self._link.trouble is not None or asyncio.get_running_loop().time() >= self._next_health

    def _note_health(self, root: CompanionRoot | None) -> None:
        pace, is_lost = self._core.pace, self._missed_at < inf  # then it may return any moment
        delay = pace.second_look if is_lost else pace.health
        self._next_health = asyncio.get_running_loop().time() + delay
        ahead = root.clock_ahead_seconds if root else None
        if ahead != self._clock_ahead:
            self._clock_ahead = ahead
            self._core.changes.tell(Changes(sync=True))

    def _clock_problem(self) -> str | None:
        if self._clock_ahead is None:
            return None
        return trn(
            "The service isn't publishing: its clock is {n} second off. Ask its administrator "
            "to sync the clock with NTP.",
            "The service isn't publishing: its clock is {n} seconds off. Ask its administrator "
            "to sync the clock with NTP.",
            abs(self._clock_ahead),
        )

    async def _list_everything(self) -> None:
        started = asyncio.get_running_loop().time()
        first = not self._saved.listed
        self._show_syncing(True)
        self._has_listed = True  # unless the stream requests it again in the meantime
        try:
            listing = self._listing = self._listing or self._everything()
            while not listing.done:
                await listing.read_page()
                self.listed = listing.count if first else None
                self._core.changes.tell(Changes(sync=True))
            await self._intake.miss_in_list(listing.missing())
        except BaseException as error:
            self._has_listed = False
            if isinstance(error, ClientError) and not can_go_on(error):
                self._listing = None
            raise
        finally:
            self.listed = None
            self._show_syncing(False)
        self._listing = None
        self._polling.start_over()
        self._looks.start_over()
        self._relisting.listed(started)
        self._list_not_before = asyncio.get_running_loop().time() + self._core.pace.backoff
        self._synced()
        await self.save()

    def _everything(self) -> Listing:
        """List everything.

        Pages are larger if the service lists by time and its stream reports posts that move meanwhile.
        """
        if "posts" not in self.offers or not self._link.is_followed:
            return self._polling.everything()
        keys = (post.key for post in self._core.mirror.timeline)
        return Listing(self._core, self._intake, self._fetch_by_time, keys)

    async def _fetch_by_time(self, cursor: str | None) -> Page[Post]:
        start, end = _ALWAYS
        query = PostRangeQuery(start=start, end=end, limit=POST_RANGE_LIMIT_MAX)
        if cursor is not None:
            query = query.model_copy(update={"cursor": cursor})
        page = await self._core.client.list_posts_between(query)
        return Page[Post](data=[*page.data], next_cursor=page.next_cursor)

    async def _poll(self) -> None:
        await self._pull_connections()
        try:
            await self._polling.run()
        finally:
            self._has_listed = not self._polling.has_gap
        self._synced()

    async def _pull_connections(self) -> None:
        self._accounts_changed = False
        self._book.list_requested()
        found: list[Connection] = []
        try:
            async for page in self._core.client.connections():
                found.extend(page.data)
            if "places" in self.offers:
                async for places in self._core.client.places.accounts():
                    found.extend(places.data)
        except ListTooLong:
            self._tell_too_many_accounts()
        except ClientError:
            self._accounts_changed = True
            raise
        found = found[:ACCOUNTS_MAX]
        if newer := self._book.left_out_of(found):
            found += newer
            self._need_accounts()
        if self._book.replace_all(found):
            self._core.changes.tell(Changes(accounts=True))
            await self._save_accounts()

    def _tell_too_many_accounts(self) -> None:
        if not self._has_told_too_many:
            self._has_told_too_many = True
            text = tr("The service has more accounts than Kalends can show, so some are missing here.")
            self._core.messages.tell(Message("warning", text))

    async def _save_accounts(self) -> None:
        listed = tuple(self._book.listed.values())
        await self._core.commit(lambda transaction: save_accounts(transaction, listed))

    def _follow(self, listening: bool) -> None:
        if listening and self.last_synced:  # contact counts after the first full list
            self._link.succeeded()
            self._on_contact()
        elif self._link.is_followed and not listening:
            self.last_synced = self._last_heard()
            self._next_poll = 0.0
            self._wake.set()
        self._link.follow(followed=listening)

    def _need_everything(self) -> None:
        self._has_listed = False
        self._listing = None
        self._wake.set()

    def _need_accounts(self) -> None:
        self._accounts_changed = True
        self._wake.set()

    async def _take_post(self, post_id: UUID, post: Post | None) -> None:
        if post is None:
            await self._intake.remove((self._core.mirror.key_of(post_id),))
        else:
            await self._intake.hear(post)
            self._explain_inbox(post)

    def _explain_inbox(self, post: Post) -> None:
        """Find out whether a post has reached the user's inbox, which doesn't change its status."""
        card = CARDS.get(post.platform)
        if post.status is PostStatus.PROCESSING and card is not None and card.inbox is not None:
            self.explanations.add(self._core.mirror.key_of(post.id))
            self._wake.set()

    def _notice(self, changes: Changes) -> None:
        if changes.posts:
            self._looks.note(changes.posts)
            self.explanations.note(changes.posts)

    def _show_syncing(self, syncing: bool) -> None:
        self.syncing = syncing
        self._core.changes.tell(Changes(sync=True))

    def _synced(self) -> None:
        now = asyncio.get_running_loop().time()
        pace = self._core.pace
        self._next_poll = now + (pace.poll_active if self.active else pace.poll_idle)
        self.last_synced = from_millis(self._core.clock())
        self._core.changes.tell(Changes(sync=True))
