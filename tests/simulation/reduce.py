"""From a run that failed to the least that still fails: fewer posts, fewer changes of mind, fewer faults."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from tests.simulation.publishing.plan import Wish
from tests.simulation.publishing.world import Outcome, Script, play

T = TypeVar("T")

_MOST_RUNS: Final = 120


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


class Reduction:
    """The reduction of one failure. ``script`` is the shortest script so far that breaks one of the rules."""

    def __init__(self, outcome: Outcome) -> None:
        self._rules = {one.rule for one in outcome.breaches}
        self._runs = 0
        self.outcome = outcome
        self.script = replace(outcome.script, played=tuple(outcome.faults))

    def reduce(self) -> Outcome:
        """The run of the shortest script."""
        numbers = {one.number for one in self.outcome.breaches}
        self._try(replace(self.script, wishes=[one for one in self.script.wishes if one.number in numbers]))
        least(self.script.played or (), lambda left: self._try(replace(self.script, played=tuple(left))))
        least(self.script.wishes, lambda left: self._try(replace(self.script, wishes=tuple(left))))
        least(self.script.played or (), lambda left: self._try(replace(self.script, played=tuple(left))))
        self._alone()
        for wish in self.script.wishes:
            self._calm(wish)
        return self.outcome

    def _alone(self) -> None:
        """The posts that fail, without the others, whose calls needn't be counted any more then."""
        numbers = {one.number for one in self.outcome.breaches}
        wishes = tuple(one for one in self.script.wishes if one.number in numbers)
        played = tuple(self.script.played or ())
        if len(wishes) == len(self.script.wishes) or not played:
            return
        for fewer in range(played[0].nth):
            sooner = tuple(replace(one, nth=one.nth - fewer) for one in played)
            if self._try(replace(self.script, wishes=wishes, played=sooner)):
                return

    def _calm(self, wish: Wish) -> None:
        """The same post without changes of mind, if that will do."""
        for changes in ((), wish.changes[:1]):
            calmer = replace(wish, changes=changes)
            wishes = [calmer if one is wish else one for one in self.script.wishes]
            if changes != wish.changes and self._try(replace(self.script, wishes=tuple(wishes))):
                return

    def _try(self, script: Script) -> bool:
        if self._runs >= _MOST_RUNS or not script.wishes:
            return False
        self._runs += 1
        outcome = play(script)
        if not self._rules & {one.rule for one in outcome.breaches}:
            return False
        self.outcome, self.script = outcome, script
        return True


def as_test(outcome: Outcome) -> str:
    """A test to be pasted into ``tests/simulation/test_found.py``."""
    script, rule = outcome.script, outcome.breaches[0].rule
    faults = "".join(
        f"        Fault({one.nth}, Kind.{one.kind.name}, {one.size}),\n" for one in script.played or ()
    )
    wishes = "".join(f"        {_written(wish)},\n" for wish in script.wishes)
    name = "".join(word for word in f"test_{rule}_of_seed_{script.seed}")
    return (
        f"def {name}() -> None:\n"
        f"    # {outcome.breaches[0]}\n"
        f"    wishes = [\n{wishes}    ]\n"
        f"    faults = [\n{faults}    ]\n"
        f"    script = Script({script.seed}, wishes, workers={script.workers}, played=faults)\n"
        "    assert play(script).breaches == []\n"
    )


def _written(wish: Wish) -> str:
    changes = "".join(f"Change({one.at_s}, Verb.{one.verb.name}, {one.to_s}), " for one in wish.changes)
    return (
        f"Wish({wish.number}, PostingPlatform.{wish.platform.name}, {wish.account}, {wish.created_s},"
        f" {wish.due_s}, ({changes}))"
    )
