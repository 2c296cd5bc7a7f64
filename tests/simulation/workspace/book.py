"""What people wanted, saw, and were told: the record by which the end of a run is judged."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from app.contract.enums import PostStatus
from app.workspace.editing.draft import ComposerDraft
from app.workspace.posts.planned import PlannedPost

MARKER: Final = re.compile(r"Sim(\d{6})")


class State(NamedTuple):
    """What matters of a post: its time in milliseconds, and whether it is cancelled."""

    at: int
    cancelled: bool

    @classmethod
    def of(cls, post: PlannedPost) -> "State":
        return cls(post.at, post.status is PostStatus.CANCELLED)

    def same(self, other: "State") -> bool:
        """Whether both mean the same: of what is not published, the time says nothing."""
        return self.cancelled == other.cancelled and (self.cancelled or self.at == other.at)

    def __str__(self) -> str:
        return f"{'cancelled' if self.cancelled else 'scheduled'} at {self.at}"


@dataclass
class Meant:
    """What somebody wanted of a post in one app.

    Attributes:
        when: In seconds of the world.
        kept: It was on the disk, so that it outlives a death.
        excused: A message said that it was not done, or may not have been.
        confirmed_at: When the app showed that the service has it, first.
        seen: When the other app showed that, first, after it was confirmed.
    """

    state: State
    when: float
    kept: bool = False
    excused: bool = False
    confirmed_at: float | None = None
    seen: float | None = None


@dataclass
class Typed:
    """Versions of a draft, oldest first, None for discarded. ``kept``: the index of the one on the disk."""

    versions: list[ComposerDraft | None] = field(default_factory=lambda: [None])
    kept: int = 0

    def possible(self) -> Sequence[ComposerDraft | None]:
        """What may be there after a death."""
        return self.versions[self.kept :]

    def found(self, there: ComposerDraft | None) -> None:
        """After a restart this is what there is."""
        self.versions, self.kept = [there], 0


@dataclass
class AppBook:
    """What happened in one app.

    Attributes:
        meant: By post, oldest first.
        steps: By id of a step that can be undone: of each post what was there before and after.
        composer: What is being written.
    """

    meant: dict[int, list[Meant]] = field(default_factory=lambda: defaultdict(list))
    steps: dict[int, Mapping[int, tuple[State, State]]] = field(default_factory=dict)
    drafts: dict[int, Typed] = field(default_factory=lambda: defaultdict(Typed))
    composer: Typed = field(default_factory=Typed)

    def all(self) -> Iterator[Meant]:
        for several in self.meant.values():
            yield from several

    def candidates(self, number: int) -> Iterator[Meant]:
        """The last wish, and the one before it where that may have been lost with a word, and so on."""
        for meant in reversed(self.meant[number]):
            yield meant
            if not meant.excused:
                return

    def rebase(self, number: int, after: State, before: State) -> None:
        """Taking back what led to a state gives another one from now on."""
        for step in sorted(self.steps, reverse=True):
            edits = self.steps[step]
            if number in edits and edits[number][1] == after:
                self.steps[step] = {**edits, number: (before, after)}
                return


def marker(number: int) -> str:
    """What a post is known by everywhere."""
    return f"Sim{number:06d}"


def number_of(text: str) -> int | None:
    """The post that a text belongs to."""
    found = MARKER.search(text)
    return int(found[1]) if found else None
