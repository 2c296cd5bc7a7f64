"""From a run that failed to the least that still fails: fewer wishes, simpler ones, fewer faults."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from tests.simulation.room import Outcome, Room, Script, W

T = TypeVar("T")

MOST_RUNS: Final = 2_000
"""Maximum number of runs for one reduction."""
_MOST_SHIFTS: Final = 100
"""Maximum number of places tried for the faults of a wish that is left alone."""


def least(items: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> Sequence[T]:
    """A short list that still fails, by leaving out halves, quarters and so on (delta debugging)."""
    size = max(1, len(items) // 2)
    while items:
        place = 0
        while place < len(items):
            rest = [*items[:place], *items[place + size :]]
            if fails(rest):
                items = rest
            else:
                place += size
        if size == 1:
            break
        size = max(1, size // 2)
    return items


class Reduction(Generic[W]):
    """The reduction of one failure.

    Attributes:
        script: The shortest script so far that breaks one of the rules.
        outcome: Its run.
        is_cut_short: The time or the runs ran out before everything had been tried.
    """

    def __init__(
        self, room: Room[W], outcome: Outcome[W], seconds: float = math.inf, runs: int = MOST_RUNS
    ) -> None:
        """``seconds`` and ``runs`` are the most that the reduction may take."""
        self._room = room
        self._rules = {one.rule for one in outcome.breaches}
        self._until = time.monotonic() + seconds
        self._runs_left = runs
        self.outcome = outcome
        self.script: Script[W] = replace(outcome.script, played=tuple(outcome.faults))
        self.is_cut_short = False

    def reduce(self) -> Outcome[W]:
        """Return the run of the shortest script that was found."""
        numbers = {one.number for one in self.outcome.breaches}
        self._try(replace(self.script, wishes=[one for one in self.script.wishes if one.number in numbers]))
        least(self.script.played or (), lambda left: self._try(replace(self.script, played=tuple(left))))
        least(self.script.wishes, lambda left: self._try(replace(self.script, wishes=tuple(left))))
        least(self.script.played or (), lambda left: self._try(replace(self.script, played=tuple(left))))
        self._alone()
        for wish in self.script.wishes:
            self._simplify(wish)
        return self.outcome

    def _alone(self) -> None:
        """The wishes that fail, without the others, whose calls needn't be counted any more then."""
        numbers = {one.number for one in self.outcome.breaches}
        wishes = tuple(one for one in self.script.wishes if one.number in numbers)
        played = tuple(self.script.played or ())
        if len(wishes) == len(self.script.wishes) or not played:
            return
        for fewer in range(min(played[0].nth, _MOST_SHIFTS)):
            sooner = tuple(replace(one, nth=one.nth - fewer) for one in played)
            if self._try(replace(self.script, wishes=wishes, played=sooner)):
                return

    def _simplify(self, wish: W) -> None:
        for simpler in self._room.simpler(wish):
            wishes = [simpler if one is wish else one for one in self.script.wishes]
            if simpler != wish and self._try(replace(self.script, wishes=tuple(wishes))):
                return

    def _try(self, script: Script[W]) -> bool:
        if not script.wishes:
            return False
        if self._runs_left == 0 or time.monotonic() >= self._until:
            self.is_cut_short = True
            return False
        self._runs_left -= 1
        outcome = self._room.play(script)
        if not self._rules & {one.rule for one in outcome.breaches}:
            return False
        self.outcome, self.script = outcome, script
        return True


def as_test(outcome: Outcome[W]) -> str:
    """A test to be pasted into ``test_found.py`` of the room."""
    script, rule = outcome.script, outcome.breaches[0].rule
    faults = "".join(f"        {written(one)},\n" for one in script.played or ())
    wishes = "".join(f"        {written(wish)},\n" for wish in script.wishes)
    return (
        f"def test_{rule}_of_seed_{script.seed}() -> None:\n"
        f"    # {outcome.breaches[0]}\n"
        f"    wishes = [\n{wishes}    ]\n"
        f"    faults = [\n{faults}    ]\n"
        f"    script = Script({script.seed}, wishes, workers={script.workers}, played=faults)\n"
        "    assert play(script).breaches == []\n"
    )


def written(value: Any) -> str:
    """The value as Python: dataclasses by their fields, enums by their names."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if is_dataclass(value):
        return (
            f"{type(value).__name__}({', '.join(written(getattr(value, one.name)) for one in fields(value))})"
        )
    if isinstance(value, tuple):
        return f"({''.join(f'{written(one)}, ' for one in value)})"
    return repr(value)
