"""The definition of a variation."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.hostile.bends import AREAS, straight
from tests.hostile.companion import Stream
from tests.hostile.wire import Bend, Reply
from tests.hostile.world import World, usual

NOTHING: frozenset[str] = frozenset()
EVERYTHING = AREAS


@dataclass(frozen=True, slots=True)
class Variation:
    """One way of differing from our service.

    Attributes:
        fails: Areas that can't be shown, so panes have to explain why.
        writes: Whether posts can be scheduled, moved and cancelled.
        takes_files: Whether files can be uploaded and imported, if posts can be scheduled.
        boards: Number of boards; None if it may be any number.
        companion: Response in place of our companion API; None for a plain 404.
        stream: Events of a working companion, in place of ``companion``.
    """

    name: str
    bend: Bend = straight
    world: Callable[[], World] = usual
    fails: frozenset[str] = NOTHING
    writes: bool = True
    takes_files: bool = True
    boards: int | None = None
    companion: Reply | None = None
    stream: Stream | None = None

    @property
    def stores(self) -> bool:
        """Whether an uploaded file is stored in the end."""
        return self.takes_files and self.writes


def hopeless(name: str, bend: Bend) -> Variation:
    """Return a variation in which nothing works: every pane has to explain why."""
    return Variation(name, bend, fails=EVERYTHING, writes=False)


def by_name(*groups: list[Variation]) -> dict[str, Variation]:
    """Return all variations by name. Raises ValueError for duplicate names."""
    every = [one for group in groups for one in group]
    found = {one.name: one for one in every}
    if len(found) < len(every):
        raise ValueError("two variations have the same name")
    return found
