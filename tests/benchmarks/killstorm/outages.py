"""Restarts of the database, and cuts of the network between it and all processes."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain, cycle, islice, zip_longest
from typing import Any, Final

from tests.benchmarks.killstorm.api import instant
from tests.benchmarks.killstorm.fleet import Fleet
from tests.benchmarks.killstorm.network import Cut, Network
from tests.benchmarks.killstorm.plan import Plan
from tests.benchmarks.killstorm.programs import Program
from tests.postgres import Cluster, NoPostgresError

_REVIVED_AFTER_S: Final = 2.0
"""How long a process that couldn't start stays down, as with our units for systemd, in s."""
_APART_S: Final = 3.0
"""Shortest time between two outages, so that publishing can resume although a busy machine is late, in s."""
_LOOK_EVERY_S: Final = 0.2
_CUTS: Final = (Cut.SILENT, Cut.REFUSED)
_RESTARTS: Final = ("fast", "immediate")


@dataclass(frozen=True)
class Planned:
    """Number of outages of each kind.

    Attributes:
        restarts: Restarts of the database: an orderly one, then one like a power failure, and so on.
        cuts: Cuts of the network: one in which everything disappears, then one that breaks and refuses
            connections, and so on.
        cut_s: Duration of a cut, in s.
    """

    restarts: int = 0
    cuts: int = 0
    cut_s: float = 10.0

    @property
    def count(self) -> int:
        return self.restarts + self.cuts


@dataclass
class Outage:
    """A time without the database; ``ended`` is None while it lasts. ``ended_s`` is monotonic."""

    name: str
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended: datetime | None = None
    ended_s: float = 0.0

    def lasted_after(self, moment_s: float) -> bool:
        """Whether it still lasted at a moment, on the monotonic clock."""
        return self.ended is None or self.ended_s >= moment_s


class Outages:
    """Makes outages happen to a fleet, and revives processes that can't start meanwhile.

    Attributes:
        happened: The outages so far.
        revived: Number of processes that ended because they couldn't start.
    """

    def __init__(self, fleet: Fleet, planned: Planned, trouble: list[str]) -> None:
        self._fleet = fleet
        self._planned = planned
        self._trouble = trouble
        self._over = threading.Event()
        self.happened: list[Outage] = []
        self._watches: Sequence[threading.Thread] = ()
        self.revived = 0

    def moments(self, seconds: float) -> Iterator[tuple[float, Callable[[], None]]]:
        """Yield the outages with their times in seconds from the start of the storm, evenly spread."""
        database = self._fleet.database
        cuts = [partial(self._cut, database.network, how) for how in islice(cycle(_CUTS), self._planned.cuts)]
        restarts = [
            partial(self._restart, database.server, how)
            for how in islice(cycle(_RESTARTS), self._planned.restarts)
        ]
        for number, outage in enumerate(filter(None, chain.from_iterable(zip_longest(cuts, restarts)))):
            yield seconds * (number + 1) / (self._planned.count + 1), outage

    def suffer_all(self, seconds: float, sleep_until: Callable[[float], None]) -> None:
        """Run all outages, or until ``end`` is called."""
        for at_s, outage in self.moments(seconds):
            sleep_until(at_s)
            if self._over.is_set():
                return
            try:
                outage()
            except NoPostgresError as error:  # it did not stop or start
                self._trouble.append(str(error))
            self._over.wait(_APART_S)

    def watch(self) -> None:
        """Watch all processes in the background until ``end``."""
        self._watches = [
            threading.Thread(target=self._watch, args=(program,), daemon=True)
            for program in self._fleet.programs
        ]
        for watch in self._watches:
            watch.start()

    def end(self) -> None:
        """Cause no more outages, and stop watching."""
        self._over.set()
        for watch in self._watches:
            watch.join()

    def reports(self, plan: Plan, ledger: Sequence[Any]) -> Iterator[tuple[str, float]]:
        """Yield for each outage what it was, and seconds from its end to the first post published."""
        received = {entry["text"]: instant(entry["received_at"]) for entry in ledger}
        for outage in self.happened:
            assert outage.ended is not None
            ended = outage.ended
            after = [at for at in received.values() if at >= ended]
            waiting = sum(
                post.due <= ended <= received[post.text] for post in plan.posts if post.text in received
            )
            first_s = (min(after) - ended).total_seconds() if after else float("nan")
            lasted_s = (ended - outage.began).total_seconds()
            line = (
                f"{outage.name} for {lasted_s:.1f} s: {waiting} posts were waiting at its end, and the first"
                f" one was published {first_s:.1f} s later"
            )
            yield line, first_s

    def _watch(self, program: Program) -> None:
        while not self._over.wait(_LOOK_EVERY_S):
            if not program.has_ended:
                continue
            if program.is_ready or not any(
                outage.lasted_after(program.started_at) for outage in self.happened
            ):
                self._trouble.append("A process had ended by itself.")
            self.revived += 1
            self._over.wait(_REVIVED_AFTER_S)
            program.revive()

    def _cut(self, network: Network | None, how: Cut) -> None:
        assert network is not None
        with self._outage(f"Network {how.name.lower()}"):
            network.cut(how)
            self._over.wait(self._planned.cut_s)
            network.restore()

    def _restart(self, server: Cluster | None, how: str) -> None:
        assert server is not None
        with self._outage(f"Database restarted ({how})"):
            server.restart(how)

    @contextmanager
    def _outage(self, name: str) -> Iterator[None]:
        outage = Outage(name)
        self.happened.append(outage)
        try:
            yield
        finally:
            outage.ended, outage.ended_s = datetime.now(UTC), time.monotonic()
