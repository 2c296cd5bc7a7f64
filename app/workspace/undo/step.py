"""One thing that can be taken back."""

from dataclasses import dataclass

from app.workspace.outbox.intention import Wanted


@dataclass(frozen=True, slots=True)
class Edit:
    """What a step did to one post."""

    key: str
    before: Wanted
    after: Wanted


@dataclass(frozen=True, slots=True)
class Step:
    """Edits that belong together, and what people call them: "Move 2 posts"."""

    id: int
    label: str
    edits: tuple[Edit, ...]
