"""Which posts are chosen, and which one the keyboard is at."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal


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
