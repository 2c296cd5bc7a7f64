"""What was told already, so that nothing is told twice, and nothing that is long over."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from app.contract.enums import PostStatus
from app.workspace.notices.notice import Absence, Delay, News, NoticeKind
from app.workspace.time.wall import DAY_MS

OLD_MS: Final = 30 * DAY_MS
"""A post whose time is so long ago is no news, whatever becomes of it."""
_LATE_MS: Final = DAY_MS
"""How long after its time a post may go out: within a setting of the service, when a computer wakes."""
_ASLEEP_MS: Final = 90_000
"""Who looks at the clock twice a minute and finds it so much later was asleep meanwhile."""
_BEFORE_WAKING_MS: Final = 30_000
"""The service may be awake before the one who tells."""

_WORTH_SAYING_MS: Final = 5 * 60_000
"""A shorter delay is not worth a word."""


@dataclass(frozen=True, slots=True)
class _Away:
    """A time, in milliseconds, at which this computer could publish nothing."""

    begin: int
    end: int
    cause: Absence


@dataclass(frozen=True, slots=True)
class Told:
    """What is kept from one start to the next: the failed posts and the ended accounts that are known."""

    failed: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()


class Ledger:
    """Takes facts and gives what of them is news. ``since``: what happened before it was not lived through.

    A failure is news once, whenever it is learnt of, and again only after the post was planned anew; so is an
    account that ended. What went out is news only if that was after ``since``, and an upload only if it was
    seen underway.
    """

    def __init__(
        self, now: int, out: Iterable[str] = (), underway: Iterable[str] = (), *, runs_here: bool = False
    ) -> None:
        """``out``: posts that are known to be published. ``underway``: uploads that are not done.

        ``runs_here``: posts go out from this computer, so they're late when it sleeps.
        """
        self.since = now
        self._looked_at = now
        self._away = [_Away(now - _LATE_MS, now, Absence.CLOSED)] if runs_here else []
        self._runs_here = runs_here
        self._failed: set[str] = set()
        self._ended: set[str] = set()
        self._out = set(out)
        self._underway = set(underway)

    @property
    def told(self) -> Told:
        """What to keep."""
        return Told(frozenset(self._failed), frozenset(self._ended))

    def pass_time(self, now: int) -> None:
        """It is ``now``, in milliseconds; said every half minute, or else nobody was there."""
        if now - self._looked_at > _ASLEEP_MS:
            self.since = now - _BEFORE_WAKING_MS
            if self._runs_here:
                kept = [away for away in self._away if away.end > now - _LATE_MS]
                self._away = [*kept, _Away(self._looked_at, now, Absence.ASLEEP)]
        self.since = min(self.since, now)  # the clock may have been set back
        self._looked_at = now

    def begin(self, kept: Told | None, failed: Collection[str], ended: Collection[str]) -> None:
        """Goes on from what was told before; where nothing ever was, what is so now counts as told."""
        self._failed = set(kept.failed.intersection(failed) if kept else failed)
        self._ended = set(kept.ended if kept else ended)

    def may_be_out(self, key: str, status: PostStatus, at: int) -> bool:
        """Whether it is worth to look up when a post went out."""
        return status is PostStatus.POSTED and key not in self._out and at >= self.since - _LATE_MS

    def went_out(self, key: str, posted_at: int, due: int) -> News | None:
        """A post that was ``due`` then is published, since ``posted_at``."""
        if key in self._out:
            return None
        self._out.add(key)
        if posted_at < self.since:
            return None
        return News(NoticeKind.PUBLISHED, key, delay=self._delay(posted_at, due))

    def stands(self, key: str, status: PostStatus, at: int) -> News | None:
        """A post that the service has is planned for ``at`` and has this status."""
        if status is not PostStatus.FAILED:
            self._failed.discard(key)
            return None
        if key in self._failed or at < self._looked_at - OLD_MS:
            return None
        self._failed.add(key)
        return News(NoticeKind.FAILED, key, missed=at < self.since)

    def _delay(self, posted_at: int, due: int) -> Delay | None:
        """Return how late a post is if this computer was away when it was due."""
        if posted_at - due < _WORTH_SAYING_MS:
            return None
        cause = next((away.cause for away in reversed(self._away) if away.begin <= due <= away.end), None)
        return Delay(posted_at - due, cause) if cause is not None else None

    def forget(self, keys: Iterable[str]) -> None:
        """Posts are gone."""
        self._failed.difference_update(keys)

    def ended(self, keys: Collection[str]) -> list[News]:
        """These accounts, and no others, have to be connected again."""
        new = [key for key in keys if key not in self._ended]
        self._ended = set(keys)
        return [News(NoticeKind.RECONNECT, key) for key in new]

    def upload(self, upload_id: str, *, is_done: bool) -> News | None:
        """An upload got on."""
        if not is_done:
            self._underway.add(upload_id)
            return None
        if upload_id not in self._underway:
            return None
        self._underway.discard(upload_id)
        return News(NoticeKind.UPLOADED, upload_id)
