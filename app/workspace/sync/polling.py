"""Follows a service without a stream, with at most two calls per round if nothing is new.

The specified list has no range of dates and no "changed since", and the newest come first. So each time: the
newest page, on until what is known, and one page of a longer pass. Passes over the pending posts take turns
with passes over everything; what has left the pending ones is looked up singly.
"""

import asyncio

from app.client import ClientError
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
    """``has_gap``: not all news could be read, so everything has to be listed."""

    def __init__(self, core: Core, intake: Intake, looks: Looks) -> None:
        self.has_gap = False
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
        return Listing(self._core, self._intake, self._fetch(), candidates)

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
        newest = self.everything()
        try:
            while not newest.done:
                page = await newest.read_page()
                if page.unknown < page.size:
                    break
        except ClientError:
            self.has_gap = self.has_gap or newest.count > 0
            raise
        if newest.done:
            await self._intake.miss_in_list(newest.missing())
            self.start_over()
        return newest.done

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
            self._pending = Listing(self._core, self._intake, self._fetch(PostStatus.SCHEDULED), scheduled)
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

    def _fetch(self, status: PostStatus | None = None) -> Fetch:
        first = PostListQuery(limit=PAGE_LIMIT_MAX)
        if status is not None:
            first = first.model_copy(update={"status": status})

        async def fetch(cursor: str | None) -> Page[Post]:
            query = first if cursor is None else first.model_copy(update={"cursor": cursor})
            return await self._core.client.list_posts(query)

        return fetch
