"""Compares the plan with the service's limits: storage, calls per minute, the subscription. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.contract.companion import Quota
from app.contract.enums import SubscriptionStatus
from app.contract.usage import Usage
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost
from app.workspace.warnings.warning import PlanWarning, WarningKind, about


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
