"""The results of published posts on the days: their views, read in the background for the days in view."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from PySide6.QtCore import QObject, QTimer, Signal

from app.contract.enums import PostStatus
from app.desktop.aio import TaskScope
from app.desktop.calendar.planner import PostViews
from app.language import compact
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost

_REST_MS = 120
"""Idle time before reading results, in ms."""

_AT_ONCE = 300
"""Maximum number of posts to read together."""

_KEPT = 4_000
"""Maximum number of results in memory."""


class CardResults(QObject):
    """For the GUI thread. ``around`` yields the posts of the days in view, then others near them."""

    arrived = Signal(object)
    """The keys of posts whose result became known or changed, as a set."""

    def __init__(self, owner: QObject, source: PostViews) -> None:
        super().__init__(owner)
        self.around: Callable[[], Iterable[PlannedPost]] = tuple
        self._source = source
        self._scope = TaskScope(self)
        self._is_reading = False
        self._known: dict[str, int | None] = {}
        """None for posts without a result."""
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._read)

    def of(self, posts: Sequence[PlannedPost]) -> str:
        """Return the result of the posts of a card, such as ``12.9k``; empty if unknown."""
        is_missing = any(post.key not in self._known and _is_published(post) for post in posts)
        if is_missing and not self._rest.isActive() and not self._is_reading:
            self._rest.start()
        views = [count for post in posts if (count := self._known.get(post.key)) is not None]
        return compact(sum(views)) if views else ""

    def read_again(self) -> None:
        """Read again, because there may be new samples."""
        self._known.clear()
        self._rest.start()

    @property
    def is_at_rest(self) -> bool:
        """Whether no result is being read."""
        return not self._rest.isActive() and not self._is_reading

    def _read(self) -> None:
        if self._is_reading:
            return
        wanted = (post.key for post in self.around() if _is_published(post) and post.key not in self._known)
        if keys := list(islice(wanted, _AT_ONCE)):
            self._is_reading = True
            self._scope.start(self._read_some(keys))

    async def _read_some(self, keys: list[str]) -> None:
        try:
            views = await self._source.views(keys)
        except Problem:
            views = {}
        finally:
            self._is_reading = False
        if len(self._known) + len(keys) > _KEPT:
            self._known.clear()
        self._known |= {key: views.get(key) for key in keys}
        if views:
            self.arrived.emit(set(views))
        if len(keys) == _AT_ONCE:
            self._rest.start()


def _is_published(post: PlannedPost) -> bool:
    return post.published or post.status is PostStatus.POSTED
