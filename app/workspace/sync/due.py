"""Posts whose time has come: looked at soon and often, then ever more rarely."""

import heapq

from app.contract.enums import PostStatus
from app.workspace.clock import Clock, Pace
from app.workspace.posts.mirror import Mirror
from app.workspace.posts.planned import PlannedPost, SyncState

_OFTEN = 15
PENDING = frozenset({PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING})


class DuePosts:
    """Which posts to look at now. Times are milliseconds of wall time."""

    def __init__(self, mirror: Mirror, clock: Clock, pace: Pace) -> None:
        self._mirror = mirror
        self._clock = clock
        self._pace = pace
        self._watched: dict[str, tuple[int, int]] = {}  # key to next look and number of looks
        self._seen_until = 0

    def watch_all(self) -> None:
        """Reads the whole timeline anew; for after a load or a whole listing."""
        self._seen_until = 0
        self._watched.clear()

    def take(self, limit: int, delay_s: float) -> list[str]:
        """The keys to look at now, ``delay_s`` after their time; each is put off until its next look."""
        now = self._clock()
        self._notice(now, now - int(delay_s * 1_000))
        ready = heapq.nsmallest(limit, ((at, key) for key, (at, _) in self._watched.items() if at <= now))
        for _, key in ready:
            looks = self._watched[key][1] + 1
            self._watched[key] = (now + self._delay(looks), looks)
        return [key for _, key in ready]

    def _notice(self, now: int, arrived: int) -> None:
        for post in self._mirror.timeline.between(self._seen_until, arrived + 1):
            if _is_pending(post):
                self._watched.setdefault(post.key, (now, 0))
        self._seen_until = max(self._seen_until, arrived + 1)
        for key in [key for key in self._watched if not self._still_due(key, now)]:
            del self._watched[key]

    def note(self, keys: frozenset[str]) -> None:
        """These posts changed, and may be due now though they were not when their time was passed over."""
        for key in keys:
            post = self._mirror.timeline.get(key)
            if post and post.at < self._seen_until and _is_pending(post):
                self._watched.setdefault(key, (0, 0))

    def _still_due(self, key: str, now: int) -> bool:
        post = self._mirror.timeline.get(key)
        return post is not None and post.at <= now and _is_pending(post)

    def _delay(self, looks: int) -> int:
        rarer = max(0, looks - _OFTEN)
        seconds = min(self._pace.due_repeat_max, self._pace.due_repeat * 2.0 ** min(rarer, 16))
        return int(seconds * 1_000)


def _is_pending(post: PlannedPost) -> bool:
    return post.status in PENDING and post.sync is SyncState.SYNCED
