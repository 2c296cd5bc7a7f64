"""What listeners are told: which things changed, never how they look."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changes:
    """One notice. ``posts`` were added or changed, ``removed`` are gone; ``reset``: read everything anew.

    ``undo`` is about the labels of undo and redo, ``sync`` about the facts in ``Workspace.sync``.
    """

    posts: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    accounts: bool = False
    undo: bool = False
    sync: bool = False
    reset: bool = False

    def __or__(self, other: "Changes") -> "Changes":
        """One notice that says what both say, ``other`` being the later one."""
        return Changes(
            posts=(self.posts - other.removed) | other.posts,
            removed=(self.removed - other.posts) | other.removed,
            accounts=self.accounts or other.accounts,
            undo=self.undo or other.undo,
            sync=self.sync or other.sync,
            reset=self.reset or other.reset,
        )

    def __bool__(self) -> bool:
        return bool(self.posts or self.removed or self.accounts or self.undo or self.sync or self.reset)
