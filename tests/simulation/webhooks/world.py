"""One world: a store, receivers, programs that die and start again, people, and what came of it."""

import asyncio
import random
import shutil
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tests.simulation.api import Api
from tests.simulation.faults import RATES, Faults, Kind, Site
from tests.simulation.fleet import Fleet
from tests.simulation.lives import Life, WorldClock, outside, owned_tasks
from tests.simulation.loop import SimulatedLoop, simulate
from tests.simulation.publishing.ground import STORE, fast_folder
from tests.simulation.room import Outcome, Room, Script
from tests.simulation.store import Store
from tests.simulation.webhooks.ground import ground
from tests.simulation.webhooks.invariants import (
    Audited,
    Death,
    Judgement,
    Rule,
    Stored,
    at_arrival,
    at_claimed_departure,
    at_departure,
    subscription_in,
)
from tests.simulation.webhooks.people import People
from tests.simulation.webhooks.plan import Verb, Wish, draw
from tests.simulation.webhooks.program import Program, Surroundings
from tests.simulation.webhooks.receivers import Call, Receivers

_LOOK_S: Final = 2.0
_LONGEST_REST_S: Final = 1_500.0
_ENDINGS: Final = ("delivered", "given up", "dropped", "deleted")
_MEANINGLESS: Final = (Kind.DOUBLED, Kind.GARBLED, Kind.DROPPED_FIELD, Kind.ERROR_401, Kind.ERROR_403)
"""Nobody reads what receivers answer; other refusals are what they do themselves."""

BRANCHES: Final = (
    "delivered",
    "failed",
    "dropped",
    "made although dropped",
    "switched on",
    "switched off",
    "subscription disabled",
    "subscription deleted",
)
"""What happens to deliveries and subscriptions; ``made although dropped``: the call was under way."""


def play(script: Script[Wish]) -> Outcome[Wish]:
    """Runs a world from beginning to end."""
    folder = Path(tempfile.mkdtemp(prefix="world-", dir=fast_folder()))
    try:
        shutil.copytree(ground().folder, folder, dirs_exist_ok=True)
        return simulate(lambda loop: World(loop, script, folder).live())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class World:
    """See the module."""

    def __init__(self, loop: SimulatedLoop, script: Script[Wish], folder: Path) -> None:
        loop.set_task_factory(owned_tasks)
        self.script = script
        self.outcome: Outcome[Wish] = Outcome(script)
        self.faults = Faults(script.seed, script.rates, script.played)
        self._loop = loop
        self._clock = WorldClock(loop)
        self._trace = sha256()
        self._store = Store(folder / STORE, functions={"world_now": self._clock.seconds})
        self._calls: list[Call] = []
        self._died: list[Death] = []
        self._receivers = Receivers(self._clock, _random(script.seed, "delays"), self._departs, self._arrives)
        self._around = Surroundings(
            store=self._store,
            receivers=self._receivers,
            faults=self.faults,
            chance=_random(script.seed, "jitter"),
            note=self.note,
            is_shared=script.workers > 1,
        )
        self._fleet = Fleet(
            self._start, script.workers,
            clock=self._clock, faults=self.faults, chance=_random(script.seed, "world"), note=self.note,
            stop=lambda program: program.worker.stop(),
        )  # fmt: skip
        self._people = People(Api(self._fleet.any), self._receivers, self.note)

    async def live(self) -> Outcome[Wish]:
        """Runs until everything has ended, and judges."""
        self._fleet.begin()
        await asyncio.gather(*(outside(self._people.live(wish)) for wish in self.script.wishes))
        self._fleet.calm()
        await self._rest()
        self._fleet.end()
        self._judge()
        self._store.close()
        return self.outcome

    def note(self, *words: object) -> None:
        """Takes what happens into the trace."""
        self._trace.update(f"{self._loop.time():.6f} {' '.join(map(str, words))}\n".encode())

    def _start(self, life: Life) -> Program:
        life.start(self._note_death(life))
        return Program(life, self._around)

    async def _note_death(self, life: Life) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self._died.append(Death(life, self._clock.seconds(), -life.still_for))

    async def _rest(self) -> None:
        """Until nothing waits any more, and calls that were under way have been written down."""
        end = self._loop.time() + _LONGEST_REST_S
        while self._waits() and self._loop.time() < end:  # noqa: ASYNC110  rows tell nobody of changes
            await asyncio.sleep(_LOOK_S)
        await asyncio.sleep(40 + _LOOK_S)

    def _waits(self) -> bool:
        [(found,)] = self._store.ask(
            "SELECT EXISTS (SELECT 1 FROM deliveries WHERE next_attempt_at IS NOT NULL)"
            " OR EXISTS (SELECT 1 FROM webhook_subscriptions WHERE claimed_by IS NOT NULL)"
        )
        return bool(found)

    def _departs(self, call: Call) -> None:
        its = subscription_in(call)
        held = self._store.ask("SELECT claimed_until FROM webhook_subscriptions WHERE id = ?", its)
        if self._around.is_shared and held and not call.is_test:
            self.outcome.breaches += at_claimed_departure(call, self._number(call), held[0][0])
        others = [one for one in self._calls[-50:] if one.url == call.url and not one.is_test]
        self._calls.append(call)
        self.outcome.breaches += at_departure(call, self._number(call), others, self._audited(its))

    def _arrives(self, call: Call) -> None:
        self.outcome.breaches += at_arrival(
            call, self._number(call), self._people.made[subscription_in(call)]
        )

    def _number(self, call: Call) -> int:
        """The number of the event that a call tells of."""
        _, found, rest = call.body.decode().partition('"post_id":"')
        return int(rest[:36].replace("-", ""), 16) if found and not call.is_test else -1

    def _audited(self, subscription: str | None = None) -> list[Audited]:
        wanted = "SELECT at, kind, subscription, subject, a, b, c FROM audit"
        if subscription is None:
            found = self._store.ask(f"{wanted} ORDER BY seq")
        else:
            found = self._store.ask(f"{wanted} WHERE subscription = ? ORDER BY seq", subscription)
        return [Audited(*row) for row in found]

    def _judge(self) -> None:
        outcome, people = self.outcome, self._people
        store = self._store.run(Stored.read)
        judgement = Judgement(
            store, self._audited(), self._calls, people.replays,
            people.tests, self._died,
            is_calm=not self.faults.happened,
        )  # fmt: skip
        judgement.judge()
        outcome.breaches += judgement.breaches
        outcome.branches = Counter(judgement.branches)
        outcome.endings = judgement.endings
        outcome.late = judgement.late
        outcome.figures = Counter(
            events=sum(wish.verb is Verb.HAPPEN for wish in self.script.wishes),
            calls=self.faults.events(Site.CALL), kills=self._fleet.deaths,
        )  # fmt: skip
        outcome.figures.update({name.replace(" ", "_"): outcome.endings[name] for name in _ENDINGS})
        self.note(sorted(outcome.endings.items()), sorted(outcome.branches.items()))
        outcome.faults = list(self.faults.happened)
        outcome.seconds = self._loop.time()
        outcome.trace = self._trace.hexdigest()


def _random(seed: int, name: str) -> random.Random:
    return random.Random(f"{seed} {name}")  # noqa: S311  chance, no secret


def _workers(seed: int) -> int:
    """Every third run has three programs, which share a server's clock."""
    return 3 if seed % 3 == 0 else 1


ROOM: Final = Room(
    "webhooks",
    "events",
    figures=(*(name.replace(" ", "_") for name in _ENDINGS), *(rule.value for rule in Rule)),
    branches=BRANCHES,
    draw=draw,
    play=play,
    rates=MappingProxyType({kind: rate for kind, rate in RATES.items() if kind not in _MEANINGLESS}),
    workers=_workers,
)
