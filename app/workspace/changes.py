"""What listeners are told: which things changed, never how they look."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Changes:
    """One notice.

    Attributes:
        posts: The keys of posts that were added or changed.
        removed: The keys of posts that are gone.
        accounts: The accounts changed.
        undo: The labels of undo and redo, and the history.
        sync: The facts in ``Workspace.sync``.
        reset: Everything is to be read anew.
        drafts: The drafts changed.
        slots: The weekly slots changed.
        catalogues: The files that are known changed.
        metrics: Numbers were asked for; there may be new ones.
        published: More is known of what was published.
        warnings: What will fail of what is planned.
        files: Files at the service changed; whoever shows them asks for them.
        deliveries: A delivery to a webhook was made; whoever shows the log asks for it.
        writing: What is being written is on the disk now.
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
        """One notice that says what both say, ``other`` being the later one."""
        flags = {name: getattr(self, name) or getattr(other, name) for name in _FLAGS}
        return Changes(
            posts=(self.posts - other.removed) | other.posts,
            removed=(self.removed - other.posts) | other.removed,
            **flags,
        )

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


_FLAGS = [field.name for field in fields(Changes) if field.name not in ("posts", "removed")]
