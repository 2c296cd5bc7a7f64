"""Keeps the warnings up to date in the background, without those that the user dismissed."""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, select

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.database import DatabaseError
from app.platforms.cards import by_hand_key
from app.platforms.rules import MediaFacts, check
from app.workspace.accounts.account import Account, read_limits
from app.workspace.changes import Changes
from app.workspace.clock import LAST_MOMENT
from app.workspace.core import Core
from app.workspace.drafts.drafts import Drafts
from app.workspace.editing.options import read_options
from app.workspace.media.upload import Upload
from app.workspace.media.uploads import Uploads
from app.workspace.posts.planned import PlannedPost
from app.workspace.store.tables import accounts, get_setting, media, posts, put_setting
from app.workspace.tiktok import TikTok
from app.workspace.time.wall import DAY_MS
from app.workspace.warnings import checks
from app.workspace.warnings.checks import Contents, Surroundings
from app.workspace.warnings.limits import LimitsAsked, WaitingFile
from app.workspace.warnings.presence import Attendance
from app.workspace.warnings.warning import PlanWarning, PlanWarnings

Mark = tuple[str, str, str]
"""Kind, post, and the other post; the time doesn't matter."""

_NAME: Final = "warnings_aside"
_KEPT: TypeAdapter[list[Mark]] = TypeAdapter(list[Mark])

_log = logging.getLogger(__name__)
PIECE: Final = 250
"""Number of posts to read and check in one go, so that the window gets its turn in between."""
_COLUMNS = (
    posts.c.key,
    posts.c.platform,
    posts.c.post_type,
    posts.c.title,
    posts.c.description,
    posts.c.media_storage_path,
    posts.c.board_id,
    posts.c.options,
    posts.c.by_hand,
    accounts.c.server_limits,
    media.c.storage_path,
    media.c.content_type,
    media.c.size_bytes,
    media.c.width,
    media.c.height,
    media.c.duration_ms,
)
_AGAIN_S: Final = 60.0
"""Interval for dropping warnings about past posts, in s."""
_MANY: Final = 20
"""Number of waiting posts that may exceed the service's rate limit."""
_INBOX_MS: Final = 2 * DAY_MS
"""How long after its time a post may still wait in an inbox, in ms; services give up after a day."""


def mark_of(warning: PlanWarning) -> Mark:
    """Return what identifies a warning."""
    return warning.kind.value, warning.key, warning.other


class Aside:
    """``marks`` are the dismissed warnings, stored across restarts."""

    def __init__(self, core: Core) -> None:
        self.marks: frozenset[Mark] = frozenset()
        self._core = core

    async def read(self) -> None:
        """Load the stored marks."""
        try:
            kept = await self._core.database.read(lambda connection: get_setting(connection, _NAME, _KEPT))
        except DatabaseError as error:
            _log.warning("which warnings were put aside could not be read: %s", error)
        else:
            self.marks = frozenset(kept or ())

    async def put(self, warnings: Iterable[PlanWarning]) -> None:
        """Dismiss warnings that may be intended. Drops marks of removed posts. Raises Problem."""
        timeline = self._core.mirror.timeline
        chosen = {mark_of(one) for one in warnings if one.key and not one.kind.fails}
        await self._keep(frozenset(mark for mark in self.marks | chosen if mark[1] in timeline))

    async def clear(self) -> None:
        """Show all dismissed warnings again. Raises Problem."""
        await self._keep(frozenset())

    async def _keep(self, marks: frozenset[Mark]) -> None:
        kept = sorted(marks)

        def work(connection: Connection) -> None:
            put_setting(connection, _NAME, kept or None, _KEPT)

        await self._core.write(work)
        self.marks = marks


def read_contents(connection: Connection, keys: Collection[str]) -> dict[str, Contents]:
    """Return the contents of at most ``PIECE`` posts, as far as they're stored."""
    whole = posts.outerjoin(media, media.c.storage_path == posts.c.media_storage_path)
    whole = whole.outerjoin(accounts, accounts.c.key == posts.c.account_key)
    rows = connection.execute(select(*_COLUMNS).select_from(whole).where(posts.c.key.in_(keys)))
    return {row.key: _contents(row) for row in rows}


def _contents(row: Row[*tuple[Any, ...]]) -> Contents:
    path, text, title = row.media_storage_path, row.description or "", row.title or ""
    issues = check(
        platform=PostingPlatform(by_hand_key(row.platform) if row.by_hand else row.platform),
        post_type=PostType(row.post_type),
        title=title,
        text=text,
        has_media=bool(path),
        media=_facts(row),
        board_id=row.board_id,
        limits=read_limits(row.server_limits or ""),
        options=read_options(row.options),
    )
    is_blank = not (text.strip() or title.strip())
    return Contents(
        same=0 if is_blank else hash((title, text, path)),
        issues=tuple(issues),
        has_lost_file=bool(path) and row.storage_path is None,
    )


def _facts(row: Row[*tuple[Any, ...]]) -> MediaFacts | None:
    """The facts of the file; None if only its name is known."""
    if row.content_type is None or row.size_bytes is None:
        return None
    return MediaFacts(
        content_type=row.content_type,
        size=row.size_bytes,
        width=row.width,
        height=row.height,
        duration_ms=row.duration_ms,
    )


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of the watch. ``attendance`` is None if the service runs elsewhere."""

    accounts: Callable[[], Mapping[str, Account]]
    uploads: Uploads
    drafts: Drafts
    asked: LimitsAsked
    tiktok: TikTok
    attendance: Attendance | None = None


class Watch:
    """Checks again a moment after a change; ``found`` is the last result.

    Posts are read once, and again when they change; everything in memory is checked each time, in a thread.
    """

    def __init__(self, core: Core, sources: Sources) -> None:
        self.found = PlanWarnings()
        self._core = core
        self._sources = sources
        self._contents: dict[str, Contents] = {}
        self._unread = {post.key for post in self._from_now()}
        self._has_looked = False
        self._aside = Aside(core)
        self._waiting: frozenset[str] = frozenset()
        self._freed = 0
        self._wanted = asyncio.Event()
        self._wanted.set()
        core.changes.add(self._hear)
        sources.uploads.listen(self._hear_upload)

    async def run(self, is_known: Callable[[], bool]) -> None:
        """Check whenever there's a reason to. ``is_known``: everything was listed once, accounts too."""
        async with asyncio.TaskGroup() as parts:
            parts.create_task(self._follow(is_known))
            parts.create_task(self._sources.asked.run(self._wanted.set))
            parts.create_task(self._sources.tiktok.run(self._wanted.set))

    async def _follow(self, is_known: Callable[[], bool]) -> None:
        await self._aside.read()
        if (attendance := self._sources.attendance) is not None:
            await attendance.read()
        while True:
            try:
                async with asyncio.timeout(_AGAIN_S):
                    await self._wanted.wait()
            except TimeoutError:
                pass
            await asyncio.sleep(self._core.pace.warnings)
            self._wanted.clear()
            if attendance is not None:
                await attendance.note()
            if is_known():
                self._has_looked = True
                await self._look()

    def usual_time(self, key: str) -> int | None:
        """See ``Workspace``."""
        post, attendance = self._core.mirror.timeline.get(key), self._sources.attendance
        if post is None or attendance is None:
            return None
        return attendance.presence.next_on(post.at, self._core.clock())

    async def put_aside(self, warnings: Iterable[PlanWarning]) -> None:
        """See ``Workspace``."""
        await self._aside.put(warnings)
        self._wanted.set()

    async def show_again(self) -> None:
        """See ``Workspace``."""
        await self._aside.clear()
        self._wanted.set()

    def _hear(self, changes: Changes) -> None:
        if changes.reset or changes.catalogues:
            self._unread.update(post.key for post in self._from_now())
        self._unread |= changes.posts
        for key in changes.removed:
            self._contents.pop(key, None)
        self._freed += changes.catalogues
        is_news = changes.posts or changes.removed or changes.accounts or changes.reset or changes.catalogues
        is_news = is_news or (changes.drafts and self._waiting)  # otherwise no draft needs a missing file
        if is_news or (changes.sync and not self._has_looked):
            self._wanted.set()

    def _hear_upload(self, upload: Upload) -> None:
        """Progress alone changes nothing."""
        if upload.is_done == (upload.id in self._waiting):
            self._wanted.set()

    async def _look(self) -> None:
        posts, files = self._from_now(), self._files()
        await self._read({post.key for post in posts if checks.matters(post)})
        # The thread reads copies, because the event loop changes all of these meanwhile.
        unsent, asked = frozenset(self._core.mirror.unsent), self._sources.asked
        is_pressing = files or len(unsent) >= _MANY
        asked.press((self._waiting, self._freed, len(unsent) // _MANY) if is_pressing else None)
        attendance, mirror = self._sources.attendance, self._core.mirror
        ahead = [
            post for post in posts if post.ruled_by is PostingPlatform.TIKTOK and checks.is_waiting(post)
        ]
        waiting = [post.key for post in ahead if post.key not in unsent]
        due = self._due_on_tiktok()
        self._sources.tiktok.press(
            (*waiting, *due) or None,
            is_due=bool(due),
            accounts=frozenset(post.account_key for post in ahead),
        )
        contents, accounts = dict(self._contents), dict(self._sources.accounts())
        around = Surroundings(
            now=self._core.clock(),
            unsent=unsent,
            limits=asked.limits,
            files=files,
            presence=attendance.presence.copy() if attendance is not None else None,
            undecided=frozenset(map(mirror.key_of, self._sources.tiktok.undecided)),
            inboxes=self._sources.tiktok.inboxes,
        )
        marks = self._aside.marks
        found = await asyncio.to_thread(
            lambda: _without(marks, list(checks.find(posts, accounts, contents, around)))
        )
        if found != self.found:
            self.found = found
            self._core.changes.tell(Changes(warnings=True))

    def _due_on_tiktok(self) -> list[str]:
        """Return the posts that are being published on TikTok, or wait in the inbox there."""
        now = self._core.clock()
        recent = self._core.mirror.timeline.between(now - _INBOX_MS, now + 1)
        return [
            post.key
            for post in recent
            if post.platform is PostingPlatform.TIKTOK
            and post.status in (PostStatus.QUEUED, PostStatus.PROCESSING)
        ]

    def _files(self) -> list[WaitingFile]:
        """The files that aren't stored yet, each with the time of the first draft that needs it."""
        waiting = [upload for upload in self._sources.uploads.all() if not upload.is_done]
        self._waiting = frozenset(upload.id for upload in waiting)
        first: dict[str, int] = {}
        for draft in self._sources.drafts.all() if waiting else ():
            if (at := draft.content.at) is not None:
                for id_ in draft.content.uploads:
                    first[id_] = min(at, first.get(id_, at))
        return [WaitingFile(upload.size, first.get(upload.id)) for upload in waiting]

    async def _read(self, wanted: set[str]) -> None:
        """Read the changed posts that matter; the others aren't needed."""
        asked, self._unread = self._unread & wanted, set()
        if not asked:
            return
        left = iter(asked)
        try:
            await self._core.commit(lambda _connection: None)  # the notified changes are on disk after that
            while piece := list(islice(left, PIECE)):
                read = await self._core.database.read(partial(read_contents, keys=piece))
                self._contents |= read
        except DatabaseError:
            _log.warning("what is planned could not be looked through", exc_info=True)
            self._unread |= asked

    def _from_now(self) -> list[PlannedPost]:
        return self._core.mirror.timeline.between(self._core.clock() - checks.LOOK_BACK_MS, LAST_MOMENT)


def _without(marks: frozenset[Mark], found: Sequence[PlanWarning]) -> PlanWarnings:
    left = [one for one in found if mark_of(one) not in marks]
    return PlanWarnings.of(left, len(found) - len(left))
