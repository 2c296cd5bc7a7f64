"""One pass over a list of the service, a page at a time, over failures and pauses; when to begin again."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from math import inf

from app.client import (
    ClientError,
    Course,
    ListTooLong,
    RateLimited,
    ServerFailed,
    ServiceUnreachable,
    TimedOut,
)
from app.contract.limits import POST_RANGE_LIMIT_MAX
from app.contract.pagination import Page
from app.contract.posts import Post
from app.workspace.clock import Pace
from app.workspace.core import Core
from app.workspace.sync.intake import Intake

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
    return isinstance(error, ServiceUnreachable | TimedOut | RateLimited | ServerFailed)


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
        for start in range(0, len(page.data), POST_RANGE_LIMIT_MAX):  # some services give longer pages
            unknown += await self._intake.take(page.data[start : start + POST_RANGE_LIMIT_MAX], asked)
            await asyncio.sleep(0)
        self.count += len(page.data)
        self._cursor, self.done = following, following is None
        return PageTaken(len(page.data), unknown)

    def missing(self) -> list[str]:
        """Posts that the list did not contain and that have not changed since the pass began.

        A post whose ID could not be stored meanwhile is unsent again, and was seen under its ID.
        """
        if self._is_cut:
            return []
        return [
            key
            for key in sorted(self._candidates - self._seen - self._mirror.unsent)
            if key in self._mirror.timeline and not self._mirror.is_older(key, self._generation)
        ]


def _now() -> float:
    return asyncio.get_running_loop().time()


class Relisting:
    """An hour after the last time, and a minute after the service answered nonsense.

    Such a service may also have told a list that ended too early. Neither the changes that it tells by itself
    nor its newest posts would show that. Where it goes on with nonsense, the minute is doubled each time.
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
        """Note a response that made no sense."""
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
