"""Posts that were planned together, for the filter."""

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.desktop import words
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.planner import Planner
from app.language import trn
from app.workspace.posts.planned import PlannedPost

_MOST = 24
_PAUSE_MS = 500


class Batch(NamedTuple):
    """Posts with one batch id, and what they are called: ``12 posts from 23 November 2026``."""

    id: str
    name: str


class Batches(QObject):
    """Counts the batches of a workspace; each time that goes through all posts."""

    counted = Signal(list)
    """Every Batch."""

    def __init__(self, owner: QObject, planner: Planner, days: LocalDays) -> None:
        super().__init__(owner)
        self._planner = planner
        self._days = days
        self._later = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._later.timeout.connect(self.count)

    def count(self) -> None:
        """Counts now."""
        self.counted.emit(batches(self._planner.posts.all(), self._days))

    def count_later(self) -> None:
        """Posts have changed: counts once for all that comes without a pause."""
        self._later.start()


def batches(posts: Iterable[PlannedPost], days: LocalDays) -> list[Batch]:
    """The batches of posts (in the order of time), those that begin last first."""
    counts: dict[str, int] = {}
    firsts: dict[str, int] = {}
    for post in posts:
        if post.batch_id:
            counts[post.batch_id] = counts.get(post.batch_id, 0) + 1
            firsts.setdefault(post.batch_id, post.at)
    newest = sorted(firsts, key=lambda one: firsts[one], reverse=True)[:_MOST]
    return [Batch(one, _name(counts[one], days.place(firsts[one]).day)) for one in newest]


def _name(count: int, first_day: int) -> str:
    day = date.fromordinal(first_day)
    return trn("{n} post from {day}", "{n} posts from {day}", count, day=words.date_long(day))
