"""Many lives of one composer, and what each may find from the previous one."""

import signal
import sys
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.benchmarks.appkills.lives import End, Told, live
from tests.benchmarks.appkills.program import Place, be_the_app
from tests.benchmarks.composerkills.hands import Writer

ALLOWED_NS: Final = 500_000_000
_LONGEST_S: Final = 2.0
_KILLED: Final = 0.8
_NOT_YET: Final = 2**63
_NOTHING: Final = -_NOT_YET

Moments = list[tuple[int, int, Any]]
"""What the screen showed from which time on, and the app's wait for CPU until then."""


class Storm:
    """``ages_ms``: for each life, the age of the oldest change that the next life didn't find, in ms.

    ``faults`` exclude time in which the machine was busy.
    """

    def __init__(self, place: Place, files: list[Path], seed: int) -> None:
        self.ages_ms: list[float] = []
        self.faults: list[str] = []
        self.typed = 0
        self.ends = {"killed": 0, "terminated": 0, "closed": 0}
        self._place = place
        self._files = files
        self._random = Random(seed)  # noqa: S311  not for security
        self._moments: Moments = []
        self._ended_at = self._waited = 0
        self._may_lose_ns = 0

    def live_and_die(self) -> None:
        """Run a life that ends at a random moment, by a kill or a normal quit."""
        after_s = self._random.uniform(0.0, _LONGEST_S)
        way = self._random.random()
        if way < _KILLED:
            self._live(End(after_s), None, "killed", ALLOWED_NS)
        elif way < (1 + _KILLED) / 2:
            self._live(End(after_s, signal.SIGTERM), None, "terminated", _NOTHING)
        else:
            self._live(End(), after_s, "closed", _NOTHING)

    def look(self) -> None:
        """Run a last life that only reports what's there."""
        writer = partial(Writer, seed=0.0, files=[], close_after_s=None)
        told = live(lambda pipe: be_the_app(self._place, pipe, writer(pipe).look), End()).told
        self._judge(told)

    def _live(self, end: End, close_after_s: float | None, how: str, may_lose_ns: int) -> None:
        seed, self.ends[how] = self._random.random(), self.ends[how] + 1
        writer = partial(Writer, seed=seed, files=self._files, close_after_s=close_after_s)
        ended = live(lambda pipe: be_the_app(self._place, pipe, writer(pipe).write), end)
        self._judge(ended.told)
        closing = [said for what, said in ended.told if what == "closing"]
        self._ended_at, self._waited = closing[0] if closing else (ended.at_ns, ended.waited_ns)
        self._may_lose_ns = may_lose_ns
        self._moments = _moments(ended.told)
        self.typed += sum(what == "next" for what, _ in ended.told)

    def _judge(self, told: Told) -> None:
        """Check that the found state was on the screen at the end of the previous life, or shortly before."""
        found = next((said for what, said in told if what == "found"), None)
        if not self._moments or found is None:
            return
        fitting = [n for n, (_, _, shown) in enumerate(self._moments) if shown in (found, "any")]
        if not fitting:
            last = [shown for _, _, shown in self._moments[-3:]]
            self._tell(f"never on the screen: {found}, but at the end {last}")
            return
        missed = [moment for moment in self._moments[fitting[-1] + 1 :] if moment[0] < _NOT_YET]
        age, waited = (self._ended_at - missed[0][0], self._waited - missed[0][1]) if missed else (0, 0)
        self.ages_ms.append(max(0, age) / 1e6)
        if missed and age - waited >= self._may_lose_ns:
            lost = f"{age / 1e6:.0f} ms lost, of them {waited / 1e6:.0f} without a processor"
            self._tell(f"{lost}: {found}, of {self._moments[-1][2]}")

    def _tell(self, fault: str) -> None:
        self.faults.append(fault)
        print(f"{sum(self.ends.values())}: {fault}", file=sys.stderr, flush=True)


def _moments(told: Told) -> Moments:
    moments: Moments = []
    begun: Moments = []
    for what, said in told:
        if what == "state":
            begun = []
            if not (moments and moments[-1][2] == said[2]):
                moments.append((said[0], said[1], said[2]))
        elif what in ("next", "any"):
            begun.append((_NOT_YET, 0, said if what == "next" else "any"))
    return moments + begun
