"""The selected posts of the calendar."""

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QObject, Signal
from PySide6.QtWidgets import QAbstractItemView

from app.desktop.calendar.model import PostListModel, runs

_MOST_MIRRORED = 200
"""Maximum number of selected posts mirrored to Qt's selection."""


class Selection(QObject):
    """Keys of selected posts. The view paints them and mirrors them to Qt's selection for screen readers."""

    changed = Signal(object)
    """The keys whose look changed, as a frozenset."""

    def __init__(self, sharing: Callable[[str], Sequence[str]], parent: QObject | None = None) -> None:
        """``sharing`` returns the keys of the posts that share a post's card, the card's own first."""
        super().__init__(parent)
        self._sharing = sharing
        self.keys: frozenset[str] = frozenset()
        self.current: str | None = None
        self._is_near = False
        """Whether the current post is only near the one that the user went to, which is gone."""
        self.day: int | None = None
        """The empty day that the keyboard is on, or the day of an empty half hour, as an ordinal."""
        self.half_hour: int | None = None
        """The instant at which that half hour begins, in ms since 1970 UTC; None for a whole day."""

    @property
    def chosen(self) -> frozenset[str]:
        """What commands change: the selected posts, or else the current one if the user went to it."""
        return self.keys or frozenset({self.current} if self.current and not self._is_near else ())

    def go_to_day(self, day: int, half_hour: int | None = None) -> None:
        """Deselect all posts, and go to a day without any, or to a half hour of it that is empty."""
        before = self.keys | ({self.current} if self.current else frozenset())
        self.keys, self.current, self.day, self.half_hour = frozenset(), None, day, half_hour
        self.changed.emit(before)

    def choose(self, keys: Iterable[str], current: str | None = None, *, is_near: bool = False) -> None:
        """Select exactly these, each with all posts of its card.

        ``current`` is the post that the keyboard is on, or None; ``is_near``: because the user's is gone.
        """
        chosen = frozenset(member for key in keys for member in self._sharing(key))
        current = self._sharing(current)[0] if current is not None else None
        stays_near = self._is_near and current == self.current and current not in chosen
        self._is_near = is_near or stays_near
        before = self.keys | ({self.current} if self.current else frozenset())
        if chosen == self.keys and current == self.current and (self.day is None or current is None):
            return
        if current is not None:
            self.day = self.half_hour = None
        after = chosen | ({current} if current else frozenset())
        self.keys, self.current = chosen, current
        self.changed.emit(before | after)

    def toggle(self, key: str) -> None:
        """Select or deselect the posts of a card."""
        card = frozenset(self._sharing(key))
        self.choose(self.keys - card if key in self.keys else self.keys | card, key)

    def keep_only(self, existing: Iterable[str]) -> None:
        """Deselect posts that no longer exist."""
        there = set(existing)
        current = self.current if self.current in there else None
        self.choose(self.keys & there, current)


def mirror_selection(view: QAbstractItemView, posts: PostListModel, selection: Selection) -> None:
    """Copy our selection to Qt's, for screen readers."""
    chosen = QItemSelection()
    there = [key for key in sorted(selection.keys)[:_MOST_MIRRORED] if posts.get(key) is not None]
    for rows in runs(sorted(set(map(posts.row_of, there)))):
        chosen.select(posts.index(rows.start), posts.index(rows.stop - 1))
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().select(chosen, flags.ClearAndSelect)
    current = selection.current
    if selection.day is not None:
        view.selectionModel().clearCurrentIndex()
    elif current is not None and posts.get(current) is not None:
        view.selectionModel().setCurrentIndex(posts.index(posts.row_of(current)), flags.NoUpdate)
