"""Which posts are chosen, and which one the keyboard is at."""

from collections.abc import Iterable

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QObject, Signal
from PySide6.QtWidgets import QAbstractItemView

from app.desktop.calendar.model import PostListModel, runs

_MOST_MIRRORED = 200
"""So many chosen posts are mirrored to Qt's selection; beyond, only the current one."""


class Selection(QObject):
    """Keys of chosen posts. The view paints them and mirrors them to Qt's selection for screen readers."""

    changed = Signal(object)
    """The keys whose look changed, as a frozenset."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.keys: frozenset[str] = frozenset()
        self.current: str | None = None

    def choose(self, keys: Iterable[str], current: str | None = None) -> None:
        """Chooses exactly these; ``current`` is one of them, or None."""
        chosen = frozenset(keys)
        before = self.keys | ({self.current} if self.current else frozenset())
        if chosen == self.keys and current == self.current:
            return
        after = chosen | ({current} if current else frozenset())
        self.keys, self.current = chosen, current
        self.changed.emit(before | after)

    def toggle(self, key: str) -> None:
        """Adds a post to the chosen ones, or takes it out."""
        self.choose(self.keys ^ {key}, key)

    def keep_only(self, existing: Iterable[str]) -> None:
        """Forgets posts that are gone."""
        there = set(existing)
        current = self.current if self.current in there else None
        self.choose(self.keys & there, current)


def mirror_selection(view: QAbstractItemView, posts: PostListModel, selection: Selection) -> None:
    """Tells Qt's selection, for screen readers, what ours is."""
    chosen = QItemSelection()
    there = [key for key in sorted(selection.keys)[:_MOST_MIRRORED] if posts.get(key) is not None]
    for rows in runs(sorted(map(posts.row_of, there))):
        chosen.select(posts.index(rows.start), posts.index(rows.stop - 1))
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().select(chosen, flags.ClearAndSelect)
    current = selection.current
    if current is not None and posts.get(current) is not None:
        view.selectionModel().setCurrentIndex(posts.index(posts.row_of(current)), flags.NoUpdate)
