"""Follows a service without a stream, with at most two calls per round if nothing is new.

The specified list has no range of dates and no "changed since", and the newest come first. So each time: the
newest page, on until what is known, and one page of a longer pass. Passes over the pending posts take turns
with passes over everything; what has left the pending ones is looked up singly.
"""

import asyncio
from collections.abc import Iterable, Sequence

from app.client import ClientError, PublishingCalls
from app.contract.enums import PostStatus
from app.contract.limits import PAGE_LIMIT_MAX
from app.contract.pagination import Page
from app.contract.posts import Post, PostListQuery
from app.workspace.core import Core
from app.workspace.sync.intake import Intake
from app.workspace.sync.listing import Fetch, Listing, can_go_on
from app.workspace.sync.looks import Looks


def _now() -> float:
    return asyncio.get_running_loop().time()


class Polling:
    """Reads the service's lists of posts.

    Attributes:
        has_gap: Not all news could be read, so everything has to be listed.
        has_places: Posts on companion networks are in a list of their own.
    """

    def __init__(self, core: Core, intake: Intake, looks: Looks) -> None:
        self.has_gap = self.has_places = False
        self._core = core
        self._intake = intake
        self._looks = looks
        self._pending: Listing | None = None
        self._whole: Listing | None = None
        self._whole_not_before = 0.0
        self._turn = 0

    def everything(self) -> Listing:
        """A pass over all posts."""
        mirror = self._core.mirror
        candidates = (post.key for post in mirror.timeline if post.key not in mirror.unsent)
        return self._listing(self._lists(), candidates)

    def start_over(self) -> None:
        """Note that everything was just listed, which ends the longer passes."""
        self.has_gap = False
        self._pending = self._whole = None
        self._whole_not_before = _now() + self._core.pace.everything

    async def run(self) -> None:
        """Read new posts, and a page of a longer pass. Raises ClientError or DatabaseError."""
        if await self._read_newest():
            return
        self._turn += 1
        is_due = self._whole is not None or _now() >= self._whole_not_before or self._intake.wants_second_look
        try:
            await (self._sweep_whole() if is_due and self._turn % 2 else self._sweep_pending())
        except ClientError as error:
            if not can_go_on(error):
                self._pending = self._whole = None
            raise

    async def _read_newest(self) -> bool:
        """Whether nothing was left to read."""
        missing: list[str] = []
        are_done = True
        for calls in self._lists():
            newest = await self._read_newest_of(calls)
            are_done = are_done and newest.done
            missing += newest.missing() if newest.done else ()
        if are_done:
            await self._intake.miss_in_list(missing)
            self.start_over()
        return are_done

    async def _read_newest_of(self, calls: PublishingCalls) -> Listing:
        mirror = self._core.mirror
        listed = (
            post.key
            for post in mirror.timeline
            if post.key not in mirror.unsent and self._core.calls_for(post.platform) is calls
        )
        newest = self._listing([calls], listed)
        try:
            while not newest.done:
                page = await newest.read_page()
                if page.unknown < page.size:
                    break
        except ClientError:
            self.has_gap = self.has_gap or newest.count > 0
            raise
        return newest

    async def _sweep_pending(self) -> None:
        if self._pending is None:
            mirror = self._core.mirror
            scheduled = (
                post.key
                for post in mirror.timeline
                if post.key not in mirror.unsent
                and (base := mirror.base(post.key))
                and base.status is PostStatus.SCHEDULED
            )
            self._pending = self._listing(self._lists(), scheduled, PostStatus.SCHEDULED)
        await self._pending.read_page()
        if self._pending.done:
            self._looks.add(self._pending.missing())
            self._pending = None

    async def _sweep_whole(self) -> None:
        self._whole = self._whole or self.everything()
        await self._whole.read_page()
        if self._whole.done:
            await self._intake.miss_in_list(self._whole.missing())
            self._whole = None
            self._whole_not_before = _now() + self._core.pace.everything

    def _lists(self) -> list[PublishingCalls]:
        client = self._core.client
        return [client, client.places] if self.has_places else [client]

    def _listing(
        self, lists: Sequence[PublishingCalls], candidates: Iterable[str], status: PostStatus | None = None
    ) -> Listing:
        return Listing(self._core, self._intake, _one_after_the_other(lists, status), candidates)


def _one_after_the_other(lists: Sequence[PublishingCalls], status: PostStatus | None) -> Fetch:
    """Read several lists as if they were one. Its cursors begin with the number of the list."""
    first = PostListQuery(limit=PAGE_LIMIT_MAX)
    if status is not None:
        first = first.model_copy(update={"status": status})

    async def fetch(cursor: str | None) -> Page[Post]:
        number, _, inside = (cursor or "0").partition(" ")
        place = int(number)
        query = first.model_copy(update={"cursor": inside}) if inside else first
        page = await lists[place].list_posts(query)
        if page.next_cursor is not None:
            following: str | None = f"{place} {page.next_cursor}"
        else:
            following = f"{place + 1}" if place + 1 < len(lists) else None
        return page.model_copy(update={"next_cursor": following})

    return fetch
