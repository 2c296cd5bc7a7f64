"""Follows a service without a stream, with at most two calls per round if nothing is new.

The specified list can't be filtered by date or by "changed since", and is sorted newest first. So each round
reads new pages until it meets known posts, and one page of a longer pass. Passes over pending posts alternate
with passes over all posts; posts that aren't pending any more are looked up one by one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from app.client import (
    ClientError,
    Course,
    EnvelopeMissing,
    ListTooLong,
    PublishingCalls,
    RateLimited,
    ServerFailed,
    ServiceUnreachable,
    TimedOut,
)
from app.contract.enums import PostStatus
from app.contract.limits import PAGE_LIMIT_MAX, POST_RANGE_LIMIT_MAX
from app.contract.pagination import Page
from app.contract.posts import Post, PostListQuery
from app.workspace.clock import Pace
from app.workspace.core import Core
from app.workspace.sync.intake import Intake
from app.workspace.sync.looks import Looks


def _now() -> float:
    return asyncio.get_running_loop().time()


Fetch = Callable[[str | None], Awaitable[Page[Post]]]
"""Return the page at a cursor; None means the first page."""


@dataclass(frozen=True, slots=True)
class PageTaken:
    """Number of posts on a page, and how many of them are new."""

    size: int
    unknown: int


def can_go_on(error: ClientError) -> bool:
    """Whether a pass that failed may continue where it was.

    After any other error the cursor itself may be the cause, and the same call would fail forever.
    """
    passing = isinstance(error, ServiceUnreachable | TimedOut | RateLimited | ServerFailed)
    return passing and not isinstance(error, EnvelopeMissing)


class Listing:
    """Stores listed posts. ``candidates`` are the posts that the list should contain.

    If ``can_go_on`` allows it, a failed call is repeated and the pass continues. It ends
    early if the list is implausibly long.
    """

    def __init__(self, core: Core, intake: Intake, fetch: Fetch, candidates: Iterable[str]) -> None:
        self.done = False
        self._is_cut = False
        self.count = 0
        self._mirror = core.mirror
        self._intake = intake
        self._fetch = fetch
        self._cursor: str | None = None
        self._course = Course()
        self._generation = self._mirror.generation
        self._candidates = set(candidates)
        self._seen: set[str] = set()

    async def read_page(self) -> PageTaken:
        """Store the next page. Raises ClientError or DatabaseError."""
        asked = self._mirror.generation
        loop = asyncio.get_running_loop()
        began = loop.time()
        page = await self._fetch(self._cursor)
        try:
            following = self._course.after(page, loop.time() - began)
        except ListTooLong:
            following, self._is_cut = None, True
            self._intake.tell_too_many()
        self._seen.update(self._mirror.key_of(post.id) for post in page.data)
        unknown = 0
        for start in range(0, len(page.data), POST_RANGE_LIMIT_MAX):  # some services return longer pages
            unknown += await self._intake.take(page.data[start : start + POST_RANGE_LIMIT_MAX], asked)
            await asyncio.sleep(0)
        self.count += len(page.data)
        self._cursor, self.done = following, following is None
        return PageTaken(len(page.data), unknown)

    def missing(self) -> list[str]:
        """Return posts missing from the list that haven't changed since the pass began.

        Unsent posts aren't in any list, and one that was sent since has changed. A post whose ID couldn't be
        stored meanwhile is unsent again, and was listed under its ID.
        """
        if self._is_cut:
            return []
        return [
            key
            for key in sorted(self._candidates - self._seen - self._mirror.unsent)
            if key in self._mirror.timeline and not self._mirror.is_older(key, self._generation)
        ]


class Relisting:
    """When to list everything: hourly, and a minute after the service sent an invalid response.

    Such a service may also have sent a list that ended too early. Neither its stream nor its newest posts
    would reveal that. The minute is doubled each time if the invalid responses continue.
    """

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._due = inf
        self._listed_at = self._nonsense_at = -inf
        self._doubt = pace.second_look

    @property
    def is_due(self) -> bool:
        """Whether everything should be listed now."""
        return _now() >= self._due

    def greeted(self) -> None:
        """Note that the service is reachable again."""
        self._due = min(self._due, _now() + self._pace.everything_followed)

    def heard_nonsense(self) -> None:
        """Note an invalid response."""
        self._nonsense_at = _now()
        self._due = min(self._due, self._nonsense_at + self._doubt)

    def listed(self, started: float) -> None:
        """Note a complete list that began at ``started``, in loop time."""
        hour = self._pace.everything_followed
        if self.is_due:
            goes_on = self._nonsense_at > self._listed_at
            self._doubt = min(2 * self._doubt, hour) if goes_on else self._pace.second_look
        self._listed_at, self._due = started, started + hour
        if self._nonsense_at > started - self._pace.second_look:
            self._due = min(self._due, _now() + self._doubt)


class Polling:
    """Reads the service's lists of posts.

    Attributes:
        has_gap: Some news couldn't be read, so everything has to be listed.
        has_places: Posts on companion networks are in a separate list.
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
        """Start a pass over all posts."""
        return self._listing(self._lists())

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
        """Read new posts; return whether nothing was left to read."""
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
        newest = self._listing([calls])
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
            self._pending = self._listing(self._lists(), PostStatus.SCHEDULED)
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

    def _listing(self, lists: Sequence[PublishingCalls], status: PostStatus | None = None) -> Listing:
        """List posts, which must contain the known ones of these lists, with this status if given."""
        mirror = self._core.mirror
        candidates = (
            post.key
            for post in mirror.timeline
            if self._core.calls_for(post.platform) in lists
            and (status is None or ((base := mirror.base(post.key)) and base.status is status))
        )
        return Listing(self._core, self._intake, _one_after_the_other(lists, status), candidates)


def _one_after_the_other(lists: Sequence[PublishingCalls], status: PostStatus | None) -> Fetch:
    """Read several lists as one. Each cursor starts with the number of its list."""
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
