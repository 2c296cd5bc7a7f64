"""One thing that can be taken back."""

from dataclasses import dataclass, replace

from app.workspace.outbox.intention import Wanted
from app.workspace.undo.label import Label


@dataclass(frozen=True, slots=True)
class Edit:
    """What a step did to one post."""

    key: str
    before: Wanted
    after: Wanted


@dataclass(frozen=True, slots=True)
class Step:
    """Edits that belong together, and what people call them: "Move 2 posts". ``made_at``: milliseconds."""

    id: int
    label: Label
    edits: tuple[Edit, ...]
    made_at: int = 0

    @property
    def keys(self) -> frozenset[str]:
        """The posts that it concerns."""
        return frozenset(edit.key for edit in self.edits)

    def renamed(self, old: str, new: str) -> "Step":
        """The step with another key for a post. Of edits under both keys, the one under the old key stays."""
        if old == new or old not in self.keys:
            return self
        edits = (
            replace(edit, key=new if edit.key == old else edit.key) for edit in self.edits if edit.key != new
        )
        return replace(self, edits=tuple(edits))

    def goes_back(self, key: str, before: Wanted) -> bool:
        """Whether taking it back gives a post what is said."""
        return any((edit.key, edit.before) == (key, before) for edit in self.edits)


@dataclass(frozen=True, slots=True)
class Entry:
    """A step as a history panel lists it; ``done`` is false while it is taken back."""

    id: int
    label: str
    made_at: int
    done: bool
    keys: frozenset[str]
