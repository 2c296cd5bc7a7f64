"""The service's limits: storage, calls per minute, the subscription. Requested only when they matter."""

import asyncio
import logging
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from app.client import ClientError
from app.contract.companion import Quota
from app.contract.enums import Action, SubscriptionStatus
from app.contract.usage import Usage
from app.workspace.clock import to_millis
from app.workspace.core import Core
from app.workspace.posts.planned import PlannedPost
from app.workspace.sync.link import Link
from app.workspace.usage import UsageBook
from app.workspace.warnings.warning import PlanWarning, WarningKind, about

_QUOTAS: Final = "quotas"
_SOON_S: Final = 1.0
_log = logging.getLogger(__name__)


class WaitingFile(NamedTuple):
    """A file that isn't stored yet. ``at`` is the time of the first post with it, if there is one."""

    size: int
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """The service's limits; None if unknown. ``creating``: calls that create posts."""

    usage: Usage | None = None
    creating: Quota | None = None


def no_room(files: Sequence[WaitingFile], usage: Usage | None) -> Iterator[PlanWarning]:
    """Warn that the queued files need more storage than the service has left.

    Its time is that of the first post whose file doesn't fit, or 0.
    """
    if usage is None or not files:
        return
    free = max(0, usage.storage.cap_bytes - usage.storage.used_bytes)
    needed = sum(file.size for file in files)
    if needed > free:
        first = min((at for file in _left_out(files, free) if (at := file.at) is not None), default=0)
        yield PlanWarning(WarningKind.NO_ROOM, "", first, needs=needed, free=free)


def subscription(posts: Iterable[PlannedPost], usage: Usage | None) -> Iterator[PlanWarning]:
    """Posts after the end of an unpaid subscription."""
    if usage is None or usage.status is SubscriptionStatus.ACTIVE:
        return
    ends = to_millis(usage.current_period_end) if usage.current_period_end is not None else 0
    for post in posts:
        if post.at >= ends:
            yield about(post, WarningKind.SUBSCRIPTION)


def too_late(
    posts: Iterable[PlannedPost], unsent: Collection[str], quota: Quota | None, now: int
) -> Iterator[PlanWarning]:
    """Posts that will be sent to the service after their time, because of its rate limit."""
    if quota is None or quota.limit is None or quota.remaining is None:
        return
    each_ms = quota.window_seconds * 1_000 / max(1, quota.limit)
    waiting = (post for post in posts if post.key in unsent)
    for number, post in enumerate(waiting, start=1):
        if now + max(0, number - quota.remaining) * each_ms > post.at:
            yield about(post, WarningKind.TOO_LATE)


def _left_out(files: Iterable[WaitingFile], free: int) -> Iterator[WaitingFile]:
    """The files that don't fit when they're sent in their order."""
    for file in files:
        if file.size > free:
            yield file
        else:
            free -= file.size


class LimitsAsked:
    """``limits`` is the last answer; without one, no limits are known."""

    def __init__(
        self, core: Core, usage: UsageBook, link: Link, offers: Callable[[], frozenset[str]]
    ) -> None:
        self.limits = Limits()
        self._core = core
        self._usage = usage
        self._link = link
        self._offers = offers
        self._waiting: Hashable = None
        self._pressed = asyncio.Event()

    def press(self, waiting: Hashable) -> None:
        """Set what waits to be sent, None for nothing. If it changed, the service is asked again."""
        if waiting != self._waiting:
            self._waiting = waiting
            if waiting is not None:
                self._pressed.set()

    async def run(self, tell: Callable[[], None]) -> None:
        """Ask until cancelled; ``tell`` is called when the answer changes."""
        rest = self._core.pace.limits_first
        while True:
            try:
                async with asyncio.timeout(rest):
                    await self._pressed.wait()
            except TimeoutError:
                pass
            if self._link.wait:
                rest = max(self._link.wait, _SOON_S)
                await asyncio.sleep(rest)
                continue
            self._pressed.clear()
            is_answered = await self._ask(tell)
            await asyncio.sleep(self._core.pace.limits)
            rest = self._core.pace.limits_idle if is_answered else self._core.pace.limits_first

    async def _ask(self, tell: Callable[[], None]) -> bool:
        # What waits now may be gone when the first answer arrives, and then nothing would ask again.
        wants_quotas = self._waiting is not None and _QUOTAS in self._offers()
        try:
            usage = await self._usage.ask()
            found = Limits(usage, await self._creating() if wants_quotas else None)
        except ClientError as error:
            _log.info("what the service allows is not known: %s", type(error).__name__)
            return False
        if found != self.limits:
            self.limits = found
            tell()
        return True

    async def _creating(self) -> Quota | None:
        quotas = (await self._core.client.quotas()).data
        return next((quota for quota in quotas if quota.action is Action.POSTS_CREATE), None)
