"""What the buttons of messages need to undo something."""

from dataclasses import dataclass, field
from pathlib import Path

from app.workspace.drafts.drafts import Draft
from app.workspace.editing.draft import ComposerDraft


@dataclass(frozen=True, slots=True)
class Undoable:
    """Content that "Undo" and "Restore" bring back. Like the messages, it stays when panes are rebuilt."""

    new_drafts: dict[str, Draft | None] = field(default_factory=dict)
    """New drafts as they were made, by ID."""
    deleted_drafts: dict[str, tuple[ComposerDraft, dict[str, Path]]] = field(default_factory=dict)
    """Deleted drafts by ID, with the files whose uploads were cancelled, by the upload's ID."""
    publishing: dict[str, tuple[list[str], ComposerDraft]] = field(default_factory=dict)
    """The keys of posts about to be published and the draft they're from, by the draft's ID."""
