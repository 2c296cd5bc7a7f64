"""What the service allows, against what is planned: room for files, calls in time, a subscription. Pure."""

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
    """A file that is not stored yet. ``at``: when the first post goes out that is written for it, if any."""

    size: int
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What the service said of itself; None where it did not. ``creating``: calls that plan posts."""

    usage: Usage | None = None
    creating: Quota | None = None


def no_room(files: Sequence[WaitingFile], usage: Usage | None) -> Iterator[PlanWarning]:
    """That the files in the queue need more room than the service has left.

    Its time is that of the first post whose file is left out, or 0.
    """
    if usage is None or not files:
        return
    free = max(0, usage.storage.cap_bytes - usage.storage.used_bytes)
    needed = sum(file.size for file in files)
    if needed > free:
        first = min((at for file in _left_out(files, free) if (at := file.at) is not None), default=0)
        yield PlanWarning(WarningKind.NO_ROOM, "", first, needs=needed, free=free)


def subscription(posts: Iterable[PlannedPost], usage: Usage | None) -> Iterator[PlanWarning]:
    """Posts that come after the end of a subscription that nobody pays for."""
    if usage is None or usage.status is SubscriptionStatus.ACTIVE:
        return
    ends = to_millis(usage.current_period_end) if usage.current_period_end is not None else 0
    for post in posts:
        if post.at >= ends:
            yield about(post, WarningKind.SUBSCRIPTION)


def too_late(
    posts: Iterable[PlannedPost], unsent: Collection[str], quota: Quota | None, now: int
) -> Iterator[PlanWarning]:
    """Posts whose turn to be sent comes after their time, at the pace that the service allows."""
    if quota is None or quota.limit is None or quota.remaining is None:
        return
    each_ms = quota.window_seconds * 1_000 / max(1, quota.limit)
    waiting = (post for post in posts if post.key in unsent)
    for number, post in enumerate(waiting, start=1):
        if now + max(0, number - quota.remaining) * each_ms > post.at:
            yield about(post, WarningKind.TOO_LATE)


def _left_out(files: Iterable[WaitingFile], free: int) -> Iterator[WaitingFile]:
    """Those for which nothing is left when they go in their order."""
    for file in files:
        if file.size > free:
            yield file
        else:
            free -= file.size
