"""What a variation is."""

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
    """One way of not being our service.

    Attributes:
        fails: the areas that cannot be shown, so that panes have to say why.
        writes: whether posts can be planned, moved and cancelled.
        takes_files: whether files can be uploaded and fetched where posts can be planned.
        boards: how many boards there are to choose from; None where it may be any number.
        companion: what is answered where our own service has its companion; None for a plain 404.
        stream: the events of a companion that works; it is there in place of ``companion``.
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
        """Whether a file that is brought is there in the end."""
        return self.takes_files and self.writes


def hopeless(name: str, bend: Bend) -> Variation:
    """Nothing can be shown, and nothing done: every pane has to say why."""
    return Variation(name, bend, fails=EVERYTHING, writes=False)


def by_name(*groups: list[Variation]) -> dict[str, Variation]:
    """All of them; raises ValueError where two have one name."""
    every = [one for group in groups for one in group]
    found = {one.name: one for one in every}
    if len(found) < len(every):
        raise ValueError("two variations have the same name")
    return found
