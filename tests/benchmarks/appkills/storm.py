"""Many lives of one app, and what each may find from earlier ones."""

from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.benchmarks.appkills.lives import End, Told, live
from tests.benchmarks.appkills.program import be_the_app
from tests.benchmarks.appkills.using import Person, State
from tests.benchmarks.appkills.world import World

_WHILE_OPENING: Final = 0.15
_OPENING_S: Final = 0.8
_MOST_TOLD: Final = 30
_BETWEEN_S: Final = 0.15
_ALWAYS: Final = ("accounts", "undo")


class Storm:
    """``known`` is what was accepted; ``accepted`` and ``refused`` count changes."""

    def __init__(self, world: World, seed: int, name: str) -> None:
        """``name`` is part of every text, so that several storms can share a service."""
        self.known: State = {}
        self.accepted = self.cut_short = self.refused = 0
        self._open: dict[str, list[Any]] = {}
        self._unfinished: list[Path] = []
        self._world, self._name, self._place = world, name, world.place(name)
        self._random = Random(seed)  # noqa: S311  not for security
        self._lives = 0

    def live_and_die(self) -> None:
        """Run a life and kill it at a random moment, sometimes during startup."""
        opening = self._random.random() < _WHILE_OPENING
        after_s = self._random.uniform(0.0, _OPENING_S if opening else _BETWEEN_S)
        told = 0 if opening else self._random.randrange(1, _MOST_TOLD)
        person, end = self._person(), End(after_s, after_told=told)
        self._learn(live(lambda pipe: be_the_app(self._place, pipe, person(pipe).use), end).told)

    def settle(self) -> None:
        """Let a life end by itself, and check that app and service have everything accepted exactly once."""
        if self._world.line is not None:
            self._world.line.write_text("whole")
        person = self._person()
        told = live(lambda pipe: be_the_app(self._place, pipe, person(pipe).settle), End()).told
        self._learn(told)
        shown, there = dict(told)["shown"], dict(told)["there"]
        assert not dict(told)["doubled"], f"made more than once: {dict(told)['doubled']}"
        for key, state in self.known.items():
            assert _same(shown.get(key), state), f"{key} was {state}, and is {shown.get(key)}"
            if key.startswith("post "):
                assert _same(there.get(key), state), f"{key} was {state}, and at the service {there.get(key)}"
        assert not there.keys() - self.known.keys(), "the service has posts that nobody planned"

    def _person(self) -> partial[Person]:
        self._lives += 1
        name, seed = f"life-{self._name}-{self._lives}", self._random.random()
        return partial(Person, name=name, seed=seed, world=self._world, unfinished=list(self._unfinished))

    def _learn(self, told: Told) -> None:
        for what, said in told:
            if what == "found":
                self._compare(said)
            elif what == "begun":
                for key, value in said.items():
                    self._open.setdefault(key, []).append(value)
            elif what == "accepted":
                self.accepted += len(said)
                self.known.update(said)
                self._open.clear()
            elif what == "refused":
                assert said, f"it was neither planned nor refused: {told[-6:]}"
                self.refused += 1
            elif what == "importing":
                self._unfinished.append(Path(said))
            elif what == "imported":
                self._unfinished.remove(Path(said))
        self.cut_short += bool(self._open)

    def _compare(self, found: State) -> None:
        """Check that everything accepted exists, and nothing else, except for interrupted changes."""
        for key in self.known | found:
            allowed = [self.known.get(key), *self._open.get(key, [])]
            if key not in self.known and key in _ALWAYS:
                continue  # the first life
            if key == "undo" and self._open:
                continue  # the interrupted step is unknown
            fits = any(_same(found.get(key), one) for one in allowed)
            assert fits, f"{key}: found {found.get(key)}, not {allowed}"
        self.known = found
        self._open.clear()


def _same(one: Any, other: Any) -> bool:
    """Whether two states match.

    The time of a cancelled post doesn't matter, and one that was cancelled before it was sent may be missing.
    Interrupted typing may be cut at any character.
    """
    if isinstance(other, list) and other and other[0] == "prefix":
        return one is None or (other[1].startswith(one[0]) and one[1] == 1)
    if isinstance(other, list) and len(other) == 2 and isinstance(other[1], bool):
        if one is None:
            return bool(other[1])
        return bool(one[1] == other[1] and (one[1] or one[0] == other[0]))
    return bool(one == other)
