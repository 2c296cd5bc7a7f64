"""Notifications of changes: which things changed, never their content; and who subscribes to them."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Listeners(Generic[T]):
    """Callbacks in the order of subscription. A failing one is logged and doesn't affect the others."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[T], None]] = []

    def add(self, callback: Callable[[T], None]) -> Callable[[], None]:
        """Subscribe; call the result to unsubscribe."""
        self._callbacks.append(callback)

        def remove() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return remove

    @property
    def has_any(self) -> bool:
        """Whether anybody subscribes."""
        return bool(self._callbacks)

    def tell(self, news: T) -> None:
        """Call all current subscribers."""
        for callback in tuple(self._callbacks):
            try:
                callback(news)
            except Exception:  # noqa: BLE001  whatever it is, it is not the teller's
                _log.exception("a listener failed")


@dataclass(frozen=True, slots=True)
class Changes:
    """One notification.

    Attributes:
        posts: The keys of posts that were added or changed.
        removed: The keys of removed posts.
        accounts: The accounts changed.
        undo: The labels of undo and redo, and the history.
        sync: The facts in ``Workspace.sync``.
        reset: Everything has to be read again.
        drafts: The drafts changed.
        slots: The weekly slots changed.
        catalogues: The known files changed.
        metrics: Metrics were requested; there may be new ones.
        published: More published content is known.
        warnings: The warnings about planned posts changed.
        files: Files at the service changed; views of them request them again.
        deliveries: A webhook delivery was made; views of the log request it again.
        writing: The draft in the composer is on disk.
    """

    posts: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    accounts: bool = False
    undo: bool = False
    sync: bool = False
    reset: bool = False
    drafts: bool = False
    slots: bool = False
    catalogues: bool = False
    metrics: bool = False
    published: bool = False
    warnings: bool = False
    files: bool = False
    deliveries: bool = False
    writing: bool = False

    def __or__(self, other: "Changes") -> "Changes":
        """Merge two notifications, of which ``other`` is the later one."""
        flags = {name: getattr(self, name) or getattr(other, name) for name in _FLAGS}
        return Changes(
            posts=(self.posts - other.removed) | other.posts,
            removed=(self.removed - other.posts) | other.removed,
            **flags,
        )

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


_FLAGS = [field.name for field in fields(Changes) if field.name not in ("posts", "removed")]
