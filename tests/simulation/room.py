"""What every room has in common: a script of what people do, the run of it, and what came of that."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from tests.simulation.faults import RATES, Fault, Kind


class Wish(Protocol):
    """What one person does in a run. A frozen dataclass of the room, written into tests by its fields."""

    @property
    def number(self) -> int:
        """The same in every script that has this wish."""


W = TypeVar("W", bound=Wish)


@dataclass(frozen=True)
class Script(Generic[W]):
    """Everything that a run depends on.

    Attributes:
        seed: Of all that is not listed here.
        workers: Simultaneous programs.
        played: The faults; None: they are drawn by ``rates``.
    """

    seed: int
    wishes: Sequence[W]
    rates: Mapping[Kind, float] = field(default_factory=lambda: RATES)
    workers: int = 1
    played: Sequence[Fault] | None = None


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that did not hold for a wish, by its number, and what was seen. The rule's value is a figure."""

    rule: StrEnum
    number: int
    seen: str

    def __str__(self) -> str:
        return f"{self.rule} {self.number}: {self.seen}"


@dataclass
class Outcome(Generic[W]):
    """What came of a run.

    Attributes:
        trace: A hash of everything that happened, in its order.
        figures: Counts under the names of ``Room.figures``.
        endings: How the things of the room ended.
        branches: How often each branch of a state machine was taken.
        late: By how many seconds each thing came late.
        seconds: Simulated.
    """

    script: Script[W]
    trace: str = ""
    breaches: list[Breach] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    figures: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    branches: Counter[str] = field(default_factory=Counter)
    late: list[float] = field(default_factory=list)
    seconds: float = 0.0


def _one_program(_seed: int) -> int:
    return 1


def _no_simpler(_wish: object) -> Iterator[W]:
    return iter(())


@dataclass(frozen=True)
class Room(Generic[W]):
    """A world to be simulated.

    Attributes:
        name: On the command line.
        unit: What is counted and timed; the first figure.
        figures: The figures of a run after ``unit``, ``calls`` and ``kills``: endings, then rules.
        branches: The branches that may be taken. Any other one fails the run; those never taken are named.
        draw: The wishes of a seed, so many.
        play: Runs a script from beginning to end.
        rates: How often each kind of fault happens by default.
        workers: How many programs a seed has.
        simpler: Forms of a wish to try instead of it when a failure is reduced, the simplest first.
    """

    name: str
    unit: str
    figures: Sequence[str]
    branches: Sequence[str]
    draw: Callable[[int, int], Sequence[W]]
    play: Callable[[Script[W]], Outcome[W]]
    rates: Mapping[Kind, float] = field(default_factory=lambda: RATES)
    workers: Callable[[int], int] = _one_program
    simpler: Callable[[W], Iterator[W]] = _no_simpler

    def script(self, seed: int, count: int, rates: Mapping[Kind, float] | None = None) -> Script[W]:
        """The script of a seed."""
        rates = self.rates if rates is None else rates
        return Script(seed, self.draw(seed, count), rates, self.workers(seed))
