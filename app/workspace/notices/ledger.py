"""Remembers what was notified, so that nothing is notified twice or long after it happened."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import Connection, select

from app.contract.enums import PostStatus
from app.workspace.clock import to_millis
from app.workspace.notices.notice import Absence, Delay, News, NoticeKind
from app.workspace.store.tables import get_setting, posts, put_setting
from app.workspace.time.wall import DAY_MS

OLD_MS: Final = 30 * DAY_MS
"""Age in ms from which a post's outcome is no longer news."""
_LATE_MS: Final = DAY_MS
"""How late a post may still be published after the computer wakes, in ms; set by the service."""
_ASLEEP_MS: Final = 90_000
"""Gap between two readings of the clock that means the computer was asleep, in ms."""
_BEFORE_WAKING_MS: Final = 30_000
"""How much earlier than the app the service may wake, in ms."""

_WORTH_SAYING_MS: Final = 5 * 60_000
"""Shortest delay to mention, in ms."""
_NAME = "notices"


@dataclass(frozen=True, slots=True)
class _Away:
    """A period, in ms, in which this computer couldn't publish."""

    begin: int
    end: int
    cause: Absence


@dataclass(frozen=True, slots=True)
class Told:
    """The data stored between starts: the known failed posts and ended accounts."""

    failed: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()


class Ledger:
    """Takes facts and returns the news. Nothing before ``since`` was observed.

    A failure is news once, and again only after the post was rescheduled. The same is true for an account
    whose access ended. A published post is news only if it was published after ``since``, and an upload only
    if its start was seen.
    """

    def __init__(
        self, now: int, out: Iterable[str] = (), underway: Iterable[str] = (), *, runs_here: bool = False
    ) -> None:
        """``out``: posts known to be published. ``underway``: unfinished uploads.

        ``runs_here``: this computer publishes, so posts are late when it sleeps.
        """
        self.since = now
        self._looked_at = now
        self._away = [_Away(now - _LATE_MS, now, Absence.CLOSED)] if runs_here else []
        self._runs_here = runs_here
        self._failed: set[str] = set()
        self._ended: set[str] = set()
        self._asked: dict[str, NoticeKind] = {}
        self._out = set(out)
        self._underway = set(underway)

    @property
    def told(self) -> Told:
        """Return what to store."""
        return Told(frozenset(self._failed), frozenset(self._ended))

    def pass_time(self, now: int) -> None:
        """Note the time, in ms, every half minute; a longer gap means that the computer was asleep."""
        if now - self._looked_at > _ASLEEP_MS:
            self.since = now - _BEFORE_WAKING_MS
            if self._runs_here:
                kept = [away for away in self._away if away.end > now - _LATE_MS]
                self._away = [*kept, _Away(self._looked_at, now, Absence.ASLEEP)]
        self.since = min(self.since, now)  # the clock may have been set back
        self._looked_at = now

    def begin(self, kept: Told | None, failed: Collection[str], ended: Collection[str]) -> None:
        """Continue from what was notified before; in a new file, the current state counts as notified."""
        self._failed = set(kept.failed.intersection(failed) if kept else failed)
        self._ended = set(kept.ended if kept else ended)

    def may_be_out(self, key: str, status: PostStatus, at: int) -> bool:
        """Whether it's worth looking up when a post was published."""
        return status is PostStatus.POSTED and key not in self._out and at >= self.since - _LATE_MS

    def went_out(self, key: str, posted_at: int, due: int) -> News | None:
        """Note that a post ``due`` at that time was published at ``posted_at``; return the news, if any."""
        if key in self._out:
            return None
        self._out.add(key)
        if posted_at < self.since:
            return None
        return News(NoticeKind.PUBLISHED, key, delay=self._delay(posted_at, due))

    def stands(self, key: str, status: PostStatus, at: int) -> News | None:
        """Note the status of a post at the service, scheduled for ``at``; return the news, if any."""
        if status is not PostStatus.FAILED:
            self._failed.discard(key)
            return None
        if key in self._failed or at < self._looked_at - OLD_MS:
            return None
        self._failed.add(key)
        return News(NoticeKind.FAILED, key, missed=at < self.since)

    def waits(self, key: str, kind: NoticeKind | None) -> News | None:
        """Note how a post waits for the user; None if it doesn't.

        It's news once, and again after every start.
        """
        if kind is None:
            self._asked.pop(key, None)
            return None
        if self._asked.get(key) is kind:
            return None
        self._asked[key] = kind
        return News(kind, key)

    def _delay(self, posted_at: int, due: int) -> Delay | None:
        """Return how late a post is if this computer was away when it was due."""
        if posted_at - due < _WORTH_SAYING_MS:
            return None
        cause = next((away.cause for away in reversed(self._away) if away.begin <= due <= away.end), None)
        return Delay(posted_at - due, cause) if cause is not None else None

    def forget(self, keys: Iterable[str]) -> None:
        """Note that posts no longer exist."""
        keys = set(keys)
        self._failed -= keys
        for key in keys:
            self._asked.pop(key, None)

    def ended(self, keys: Collection[str]) -> list[News]:
        """Note which accounts have to be reconnected: exactly these."""
        new = [key for key in keys if key not in self._ended]
        self._ended = set(keys)
        return [News(NoticeKind.RECONNECT, key) for key in new]

    def upload(self, upload_id: str, *, is_done: bool) -> News | None:
        """Note the state of an upload."""
        if not is_done:
            self._underway.add(upload_id)
            return None
        if upload_id not in self._underway:
            return None
        self._underway.discard(upload_id)
        return News(NoticeKind.UPLOADED, upload_id)


_SHAPE: TypeAdapter[Told] = TypeAdapter(Told)


def load_told(connection: Connection) -> Told | None:
    """Return what was notified before; None in a new file."""
    return get_setting(connection, _NAME, _SHAPE)


def save_told(connection: Connection, told: Told) -> None:
    put_setting(connection, _NAME, told, _SHAPE)


def posted_at(connection: Connection, keys: Sequence[str]) -> dict[str, int]:
    """Return when posts were published, in ms, for those that the service knows."""
    asked = select(posts.c.key, posts.c.posted_at).where(
        posts.c.key.in_(keys), posts.c.posted_at.is_not(None)
    )
    return {key: to_millis(at) for key, at in connection.execute(asked)}
