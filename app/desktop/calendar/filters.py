"""The calendar's filter, and its state that survives a restart."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, QTimer, Signal

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop import words
from app.desktop.aio import TaskScope, report_to
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.planner import Planner
from app.language import tr, trc, trn
from app.platforms.cards import CARDS, own_key, own_name
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.planned import PostFilter as Filter

__all__ = ["KIND_NAMES", "PLATFORM_NAMES", "STATUS_NAMES", "Filter"]

STATUS_NAMES = {
    PostStatus.SCHEDULED: tr("Scheduled"),
    PostStatus.QUEUED: tr("Queued"),
    PostStatus.PROCESSING: tr("Being published"),
    PostStatus.POSTED: tr("Published"),
    PostStatus.FAILED: tr("Failed"),
    PostStatus.CANCELLED: tr("Cancelled"),
}
KIND_NAMES = {
    PostType.TEXT: trc("a kind of post", "Text"),
    PostType.IMAGE: tr("Image"),
    PostType.VIDEO: tr("Video"),
}
PLATFORM_NAMES = {
    PostingPlatform(own_key(key)): own_name(key) for key, card in CARDS.items() if card.posts is not None
}
"""Posts that are published by hand count as posts on their platform."""


_MOST = 24
_PAUSE_MS = 500


class Batch(NamedTuple):
    """Posts with one batch id, and their name: ``12 posts from 23 November 2026``."""

    id: str
    name: str


class Batches(QObject):
    """Counts the batches of a workspace, going through all posts each time."""

    counted = Signal(list)
    """A list with all batches."""

    def __init__(self, owner: QObject, planner: Planner, days: LocalDays) -> None:
        super().__init__(owner)
        self._planner = planner
        self._days = days
        self._later = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._later.timeout.connect(self.count)

    def count(self) -> None:
        """Count now."""
        self.counted.emit(batches(self._planner.posts, self._days))

    def count_later(self) -> None:
        """Count once for all changes to posts that arrive without a pause."""
        self._later.start()


def batches(posts: Iterable[PlannedPost], days: LocalDays) -> list[Batch]:
    """Return the latest batches of posts (sorted by time), latest start first."""
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


_AGAIN_MS = 250


class WordSearch(QObject):
    """Searches posts. ``matching`` are the keys found last; None without search words."""

    changed = Signal()
    """The matching posts have changed."""

    def __init__(self, owner: QObject, planner: Planner, tell: Callable[[Message], object]) -> None:
        super().__init__(owner)
        self.matching: frozenset[str] | None = None
        self._planner = planner
        self._tell = tell
        self._text = ""
        self._scope = TaskScope(self, report_to(self._tell))
        # Changes are announced before they are stored in the file that the search reads.
        self._again = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._again.timeout.connect(self._look)

    def look_for(self, text: str) -> None:
        """Search for other words; "" for none."""
        if text == self._text:
            return
        self._text = text
        self._scope.cancel()
        if text.strip():
            self._look()
        else:
            self.matching = None

    def look_again(self, text: str) -> None:
        """Search again after posts changed, after a delay that batches changes."""
        if text.strip():
            self._again.start()

    def _look(self) -> None:
        if self._text.strip():
            self._scope.start(self._find(self._text))

    async def _find(self, text: str) -> None:
        found = await self._planner.matching(text)
        if text == self._text and found != self.matching:
            self.matching = found
            self.changed.emit()


_KINDS: dict[str, type[str]] = {"platforms": PostingPlatform, "statuses": PostStatus, "kinds": PostType}


@dataclass(frozen=True, slots=True)
class CalendarState:
    """Span, filter and second zone. The position isn't stored: the calendar starts with today.

    Read before the first paint, so without pydantic, which takes longer to import than the calendar.
    """

    span: Span = Span.MONTH
    filter: Filter = field(default_factory=Filter)
    second_zone: str | None = None

    @classmethod
    def of(cls, span: Span, chosen: Filter, second: ZoneInfo | None) -> "CalendarState":
        """Return the state to store."""
        return cls(span, chosen, second.key if second is not None else None)

    @classmethod
    def read(cls, kept: object) -> "CalendarState":
        """Return the state from JSON; the default if it's missing or invalid."""
        try:
            found = json.loads(kept) if isinstance(kept, str) else {}
            second = found.get("second_zone")
            return cls(
                Span(found.get("span", Span.MONTH)),
                _filter(found.get("filter", {})),
                second if isinstance(second, str) else None,
            )
        except (ValueError, TypeError, AttributeError, RecursionError):
            return cls()

    def written(self) -> str:
        """Return it as JSON, for `read`."""
        return json.dumps({**asdict(self), "span": self.span.value}, default=sorted)

    @property
    def zone(self) -> ZoneInfo | None:
        """The second zone; None if it isn't set, or unknown to this computer."""
        try:
            return ZoneInfo(self.second_zone) if self.second_zone else None
        except (OSError, ValueError, KeyError):
            return None


def _filter(kept: dict[str, Any]) -> Filter:
    """Return the filter of stored data; raises ValueError, TypeError or AttributeError for anything else."""
    if not isinstance(text := kept.get("text", ""), str):
        raise TypeError
    names = [one.name for one in fields(Filter) if one.name != "text"]
    return Filter(**{name: _chosen(name, kept.get(name, [])) for name in names}, text=text)


def _chosen(name: str, kept: object) -> frozenset[Any]:
    if not isinstance(kept, list) or not all(isinstance(one, str) for one in kept):
        raise TypeError
    return frozenset(map(_KINDS.get(name, str), kept))
