"""Follows the workspace, and notifies a user who isn't looking, in batches."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import inf
from typing import Final

from app.contract.enums import PostStatus
from app.database import DatabaseError
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes, Listeners
from app.workspace.core import Core
from app.workspace.media.upload import Upload
from app.workspace.media.uploads import Uploads
from app.workspace.notices import notice
from app.workspace.notices.ledger import OLD_MS, Ledger, Told, load_told, posted_at, save_told
from app.workspace.notices.notice import Absence, News, Notice, NoticeKind
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import DAY_MS

_LONGER = 3
"""Factor for the delay of missed news, all of which is shown in one notification."""

_Group = tuple[NoticeKind, bool, Absence | None]
_PIECE: Final = 500
_SELDOM: Final = 10
"""How many times rarer notifications of published posts are than those that need the user."""
LeaveOut = Callable[[News], bool]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Delays in s: ``settle`` from the first news to its notification, ``again`` from then to the next."""

    settle: float
    again: Mapping[NoticeKind, float]


class Gathering:
    """Pending news by kind; missed and late ones are separate from the rest."""

    def __init__(self, rhythm: Rhythm) -> None:
        self._rhythm = rhythm
        self._waiting: dict[_Group, dict[str, News]] = {}
        self._ready: dict[_Group, float] = {}
        self._due: dict[_Group, float] = {}
        """Like ``_ready``, or later while a group is held back."""
        self._free: dict[_Group, float] = {}

    def add(self, news: News, now: float) -> None:
        """Add news to be shown soon, or with the next ones of its kind."""
        group = news.kind, news.missed, news.delay.cause if news.delay is not None else None
        waiting = self._waiting.setdefault(group, {})
        if not waiting:
            settle = self._rhythm.settle * (_LONGER if news.missed else 1)
            self._due[group] = self._ready[group] = max(now + settle, self._free.get(group, now))
        waiting[news.key] = news

    def drop(self, is_over: Callable[[News], bool]) -> None:
        """Remove news that isn't true any more."""
        for group, waiting in list(self._waiting.items()):
            self._waiting[group] = {key: news for key, news in waiting.items() if not is_over(news)}

    def take(
        self, now: float, patience: Callable[[list[News]], float] = lambda _group: 0.0
    ) -> list[list[News]]:
        """Return the news to show now, one notification per list.

        ``patience`` returns how long after its time a group may wait for more news, in s.
        """
        taken = []
        for group, waiting in self._waiting.items():
            if not waiting or self._due[group] > now:
                continue
            until = self._ready[group] + patience(list(waiting.values()))
            if until > now:
                self._due[group] = min(now + self._rhythm.settle, until)
                continue
            taken.append(list(waiting.values()))
            self._waiting[group] = {}
            self._free[group] = now + self._rhythm.again[group[0]]
        return taken

    def wait(self, now: float) -> float | None:
        """Return the time until the next notification, in s, or None."""
        due = [self._due[group] for group, waiting in self._waiting.items() if waiting]
        return max(0.0, min(due) - now) if due else None


class Notices:
    """Runs until cancelled. Nothing is notified until a listener is set."""

    def __init__(
        self,
        core: Core,
        accounts: Callable[[], Mapping[str, Account]],
        uploads: Uploads,
        *,
        runs_here: bool = False,
    ) -> None:
        """``runs_here``: this computer publishes the posts."""
        self._core = core
        self._accounts = accounts
        self._uploads = uploads
        underway = [upload.id for upload in uploads.all() if not upload.is_done]
        self._ledger = Ledger(core.clock(), self._recent(PostStatus.POSTED), underway, runs_here=runs_here)
        again = core.pace.notices_again
        seldom = dict.fromkeys(NoticeKind, again / _SELDOM) | {NoticeKind.PUBLISHED: again}
        self._gathering = Gathering(Rhythm(core.pace.notices, seldom))
        self._kept: Told | None = None
        self._is_begun = False
        self._changed: set[str] = set()
        self._removed: set[str] = set()
        self._stored: list[News] = []
        self._asked: list[Notice] = []
        self._wake = asyncio.Event()
        self._told: Listeners[Notice] = Listeners()
        self._leave_out: LeaveOut | None = None
        self._is_quiet: Callable[[], bool] = lambda: False
        core.changes.add(self._hear)
        uploads.listen(self._hear_upload)

    def listen(
        self,
        listener: Callable[[Notice], None],
        leave_out: LeaveOut,
        is_quiet: Callable[[], bool] = lambda: False,
    ) -> Callable[[], None]:
        """Notify a listener of all news except those with a true ``leave_out``.

        While ``is_quiet``, news waits; it's dropped if it isn't true any more afterwards. Call the result
        to unsubscribe.
        """
        self._leave_out, self._is_quiet = leave_out, is_quiet
        unsubscribe = self._told.add(listener)
        self._wake.set()

        def stop() -> None:
            unsubscribe()
            if self._leave_out is leave_out:
                self._leave_out = None

        return stop

    def tell(self, asked: Notice) -> None:
        """Notify of something that only the app knows, unless the user doesn't want this kind."""
        if self._leave_out is not None and not self._leave_out(News(asked.kind, "")):
            self._asked.append(asked)
            self._wake.set()

    async def run(self, is_known: Callable[[], bool]) -> None:
        """Run until cancelled. ``is_known``: everything was listed once, including accounts."""
        try:
            self._kept = await self._core.database.read(load_told)
        except DatabaseError as error:
            _log.warning("what was told before could not be read: %s", error)
        while True:
            self._wake.clear()
            self._ledger.pass_time(self._core.clock())
            if not self._is_begun and is_known():
                self._begin()
            if self._is_begun:
                await self._take_news()
                await self._tell_what_is_due()
            await self._pause()

    def _begin(self) -> None:
        """Compare the current state with what was notified before."""
        self._is_begun = True
        failed = self._recent(PostStatus.FAILED)
        self._ledger.begin(self._kept, failed, self._lost())
        self._changed.update(failed, self._recent(PostStatus.POSTED), self._recent(PostStatus.PROCESSING))

    def _recent(self, status: PostStatus) -> list[str]:
        now, mirror = self._core.clock(), self._core.mirror
        posts = mirror.timeline.between(now - OLD_MS, now + DAY_MS)
        return [post.key for post in posts if post.status is status and post.key not in mirror.unsent]

    async def _take_news(self) -> None:
        changed, self._changed = self._changed, set()
        removed, self._removed = self._removed, set()
        news: list[News | None] = [*self._stored]
        self._stored.clear()
        self._ledger.forget(removed)
        mirror = self._core.mirror
        # If the service refused to schedule a post, a message shows it.
        bases = [base for key in changed if key not in mirror.unsent and (base := mirror.base(key))]
        news += [self._ledger.stands(post.key, post.status, post.at) for post in bases]
        shown = [post for base in bases if (post := mirror.timeline.get(base.key))]
        news += [self._ledger.waits(post.key, _waiting(post)) for post in shown]
        news += self._ledger.ended(self._lost())
        news += await self._went_out(bases)
        now = asyncio.get_running_loop().time()
        for one in filter(None, news):
            self._gathering.add(one, now)

    async def _went_out(self, posts: list[PlannedPost]) -> list[News | None]:
        """Add news of published posts by their time, because a listing also contains old ones."""
        asked = [post for post in posts if self._ledger.may_be_out(post.key, post.status, post.at)]
        found: dict[str, int] = {}
        left = iter(post.key for post in asked)
        try:
            if asked:
                await self._core.commit(lambda _connection: None)  # what was notified is on disk after that
            while piece := list(islice(left, _PIECE)):
                found |= await self._core.database.read(partial(posted_at, keys=piece))
        except DatabaseError as error:
            _log.warning("when posts went out could not be read: %s", error)
        return [self._ledger.went_out(post.key, found.get(post.key, post.at), post.at) for post in asked]

    async def _tell_what_is_due(self) -> None:
        leave_out = self._leave_out
        if leave_out is None or not await self._keep():
            return
        self._gathering.drop(self._is_over)
        if self._is_quiet():
            return
        asked, self._asked = self._asked, []
        for one in asked:
            self._told.tell(one)
        for group in self._gathering.take(asyncio.get_running_loop().time(), self._patience):
            if told := [news for news in group if not leave_out(news)]:
                self._told.tell(self._notice(told))

    def _patience(self, group: list[News]) -> float:
        """Return how long news may wait for more news, in s."""
        kind = group[0].kind
        if kind is NoticeKind.UPLOADED and any(upload.is_underway for upload in self._uploads.all()):
            return inf
        if kind is NoticeKind.FAILED and len(group) == 1:
            # Only the reason distinguishes a failed post from one that may be live.
            post = self._core.mirror.timeline.get(group[0].key)
            return 0.0 if post is None or post.reason else self._core.pace.notices_reason
        return 0.0

    async def _keep(self) -> bool:
        """Store what is about to be notified: after a crash, silence is better than a duplicate."""
        told = self._ledger.told
        if told == self._kept:
            return True
        try:
            await self._core.commit(lambda connection: save_told(connection, told))
        except DatabaseError as error:
            _log.warning("what is told could not be kept: %s", error)
            await asyncio.sleep(self._core.pace.save_again)
            return False
        self._kept = told
        return True

    def _notice(self, group: list[News]) -> Notice:
        keys = [news.key for news in group]
        kind, missed = group[0].kind, group[0].missed
        if kind is NoticeKind.RECONNECT:
            return notice.ended([self._accounts()[key] for key in keys])
        if kind is NoticeKind.UPLOADED:
            return notice.uploaded([upload for upload in self._uploads.all() if upload.id in keys])
        found = [post for key in keys if (post := self._core.mirror.timeline.get(key))]
        posts = sorted(found, key=lambda post: (post.at, post.headline))
        account = self._accounts().get(posts[0].account_key)
        if kind is NoticeKind.PUBLISHED:
            delays = [news.delay for news in group if news.delay is not None]
            return notice.published(posts, account, max(delays, key=lambda delay: delay.ms, default=None))
        if kind is NoticeKind.BY_HAND:
            return notice.by_hand(posts, account)
        if kind is NoticeKind.IN_INBOX:
            return notice.in_inbox(posts, account)
        return notice.failed(posts, account, missed=missed)

    def _is_over(self, news: News) -> bool:
        """Whether the news isn't true any more."""
        if news.kind is NoticeKind.RECONNECT:
            return news.key not in self._lost()
        if news.kind is NoticeKind.UPLOADED:
            return self._uploads.get(news.key) is None
        if news.kind in (NoticeKind.BY_HAND, NoticeKind.IN_INBOX):
            shown = self._core.mirror.timeline.get(news.key)
            return shown is None or _waiting(shown) is not news.kind
        post = self._core.mirror.base(news.key)
        return post is None or (news.kind is NoticeKind.FAILED and post.status is not PostStatus.FAILED)

    def _lost(self) -> list[str]:
        return [account.key for account in self._accounts().values() if not account.is_available]

    def _hear(self, changes: Changes) -> None:
        if self._is_begun:
            self._changed = (self._changed | changes.posts) - changes.removed
            self._removed |= changes.removed
        is_news = changes.posts or changes.removed or changes.accounts
        if is_news if self._is_begun else changes.sync:
            self._wake.set()

    def _hear_upload(self, upload: Upload) -> None:
        """Note every change of an upload, because it may start and end between two looks."""
        if (news := self._ledger.upload(upload.id, is_done=upload.is_done)) is not None:
            self._stored.append(news)
            self._wake.set()

    async def _pause(self) -> None:
        is_heard = self._leave_out is not None and not self._is_quiet()
        wait = self._gathering.wait(asyncio.get_running_loop().time()) if is_heard else None
        look = self._core.pace.notices_look
        try:
            async with asyncio.timeout(min(look, wait) if wait is not None else look):
                await self._wake.wait()
        except TimeoutError:
            pass


def _waiting(post: PlannedPost) -> NoticeKind | None:
    """Return how a post waits for the user; None if it doesn't."""
    if post.waits_for_user:
        return NoticeKind.BY_HAND
    return NoticeKind.IN_INBOX if post.is_in_inbox else None
