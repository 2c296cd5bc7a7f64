"""One world: a store, platforms, programs that die and start again, people, and what came of it."""

import asyncio
import random
import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final

from sqlalchemy import select

from app.database.engines import sqlite_engine
from app.practice.server import create_app
from app.service.media.files import LocalMediaStore
from app.service.publishing import PublishingSettings
from app.service.store.tables import attempts
from tests.simulation.faults import RATES, Fault, Faults, Kind, Site
from tests.simulation.lives import START, Life, WorldClock, outside, owned_tasks
from tests.simulation.loop import SimulatedLoop, simulate
from tests.simulation.outside import Platforms
from tests.simulation.publishing.ground import STORE, fast_folder, ground, practice_settings
from tests.simulation.publishing.invariants import Breach, Store, Verdict, at_end, at_publication
from tests.simulation.publishing.people import Api, Person
from tests.simulation.publishing.plan import Known, Wish
from tests.simulation.publishing.program import Program, Surroundings

_MARKER: Final = re.compile(r"Sim(\d{6})")
_MOMENT_S: Final = 4.0
_LOOK_S: Final = 2.0
_LONGEST_REST_S: Final = 3 * 3600.0
_CLOCKS_S: Final = (-3600.0, -40.0, -6.0, 5.0, 30.0, 600.0, 7 * 3600.0)
_LAGS_S: Final = (0.0, 0.0, 1.0, 4.0)
SETTINGS: Final = PublishingSettings(unknown_limit=timedelta(minutes=6))
"""As usual, but what cannot be found out is given up sooner: it is what worlds wait for most."""


@dataclass(frozen=True)
class Script:
    """Everything that a run depends on.

    Attributes:
        seed: Of all that is not listed here.
        workers: Programs at once; with several, they share a server's clock.
        played: The faults; None: they are drawn by ``rates``.
    """

    seed: int
    wishes: Sequence[Wish]
    rates: Mapping[Kind, float] = field(default_factory=lambda: RATES)
    workers: int = 1
    played: Sequence[Fault] | None = None


@dataclass
class Outcome:
    """What came of a run."""

    script: Script
    trace: str = ""
    verdicts: list[Verdict] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    calls: int = 0
    kills: int = 0
    seconds: float = 0.0
    moves: Counter[str] = field(default_factory=Counter)
    late: list[float] = field(default_factory=list)


def play(script: Script) -> Outcome:
    """Runs a world from beginning to end."""
    folder = Path(tempfile.mkdtemp(prefix="world-", dir=fast_folder()))
    try:
        ground().copy_to(folder)
        return simulate(lambda loop: World(loop, script, folder).live())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class World:
    """See the module."""

    def __init__(self, loop: SimulatedLoop, script: Script, folder: Path) -> None:
        loop.set_task_factory(owned_tasks)
        chance = random.Random(f"{script.seed} world")  # noqa: S311  chance, no secret
        # X's tokens live for two hours: in some worlds they are renewed.
        self.clock = WorldClock(loop, START + timedelta(seconds=round(chance.uniform(60, 6900), 3)))
        self.script = script
        self.outcome = Outcome(script)
        self.faults = Faults(script.seed, script.rates, script.played)
        self._loop = loop
        self._trace = sha256()
        self._engine = sqlite_engine(folder / STORE)
        self._watch_statuses()
        settings = practice_settings(folder, self.clock, chance.choice(_LAGS_S))
        self._app = create_app(settings)
        self._ledger = sqlite3.connect(settings.data / "practice.sqlite3", isolation_level=None)
        self._last = self._ledger.execute("SELECT coalesce(max(number), 0) FROM ledger").fetchone()[0]
        self._refused: set[int] = set()
        self._programs: list[Program | None] = [None] * script.workers
        self._clock_off = [timedelta()] * script.workers
        self._die_again: set[int] = set()
        self._is_over = False
        self._chance = chance
        self.known = {wish.number: Known(wish) for wish in script.wishes}
        self._around = Surroundings(
            engine=self._engine,
            files=LocalMediaStore(folder / "media"),
            platforms=Platforms(self._app, self.clock, self._answered),
            faults=self.faults,
            chance=random.Random(f"{script.seed} delays"),  # noqa: S311  chance, no secret
            journal=[],
            note=self.note,
            is_shared=script.workers > 1,
            settings=SETTINGS,
        )
        api = Api(self._any_program)
        self._people = {
            number: Person(one, api, self.clock, ground(), self.note) for number, one in self.known.items()
        }

    async def live(self) -> Outcome:
        """Runs until everything has ended, and judges."""
        async with self._app.router.lifespan_context(self._app):
            for slot in range(self.script.workers):
                self._start(slot)
            moments = outside(self._moments())
            await asyncio.gather(*(outside(person.live()) for person in self._people.values()))
            self.faults.ended = True
            moments.cancel()
            self._clock_off = [timedelta()] * self.script.workers
            for program in filter(None, self._programs):
                program.life.clock_off = timedelta()
            await self._rest()
            for program in filter(None, self._programs):
                program.life.die()
            self._judge()
        self._ledger.close()
        self._engine.dispose()
        return self.outcome

    def note(self, *words: object) -> None:
        """Takes what happens into the trace."""
        self._trace.update(f"{self._loop.time():.6f} {' '.join(map(str, words))}\n".encode())

    def _any_program(self) -> Program | None:
        alive = [program for program in self._programs if program is not None]
        return self._chance.choice(alive) if alive else None

    def _start(self, slot: int) -> None:
        def died() -> None:
            self.outcome.kills += 1
            self.note(f"worker-{slot}", "died")
            self._programs[slot] = None
            if not self._is_over:
                outside(self._start_again(slot))

        life = Life(f"worker-{slot}", self.clock, self._clock_off[slot], died)
        self._programs[slot] = Program(life, self._around)
        self.note(life.name, "started")

    async def _start_again(self, slot: int) -> None:
        await asyncio.sleep(round(self._chance.uniform(0.3, 8), 3))
        self._start(slot)
        if slot in self._die_again:
            self._die_again.discard(slot)
            await asyncio.sleep(round(self._chance.uniform(0.05, 12), 3))
            if (program := self._programs[slot]) is not None:
                program.life.die()

    async def _moments(self) -> None:
        while True:
            await asyncio.sleep(_MOMENT_S)
            fault = self.faults.at(Site.MOMENT)
            if fault is not None:
                # Not at the very moment at which everything else happens.
                await asyncio.sleep(round(fault.size * 3.3, 3))
                slot = int(fault.size * 1000) % self.script.workers
                self.note("moment", slot, fault.kind)
                self._strike(slot, fault)

    def _strike(self, slot: int, fault: Fault) -> None:
        program = self._programs[slot]
        if program is None:
            return
        life = program.life
        match fault.kind:
            case Kind.DIE:
                life.die()
            case Kind.DIE_TWICE:
                self._die_again.add(slot)
                life.die()
            case Kind.STALL:
                life.stand_still(fault.between(1, 200))
            case Kind.SUSPEND:
                life.stand_still(fault.between(5, 1800), suspended=True)
            case Kind.CLOCK | Kind.CLOCK_BETWEEN:
                off = timedelta(seconds=_CLOCKS_S[int(fault.size * len(_CLOCKS_S))])
                self._clock_off[slot] = life.clock_off = off
                outside(self._set_right(slot, fault.between(20, 400)))
                if fault.kind is Kind.CLOCK_BETWEEN:
                    life.die()

    async def _set_right(self, slot: int, after: float) -> None:
        await asyncio.sleep(after)
        self._clock_off[slot] = timedelta()
        if (program := self._programs[slot]) is not None:
            program.life.clock_off = timedelta()

    async def _rest(self) -> None:
        """Until nothing is left to do."""
        end = self._loop.time() + _LONGEST_REST_S
        while self._unfinished() and self._loop.time() < end:  # noqa: ASYNC110  rows tell nobody of changes
            await asyncio.sleep(_LOOK_S)
        await asyncio.sleep(_LOOK_S)
        self._is_over = True

    def _unfinished(self) -> bool:
        with self._engine.connect() as rows:
            found = rows.exec_driver_sql(
                "SELECT EXISTS (SELECT 1 FROM posts JOIN connections ON connections.id = connection_id"
                " WHERE posts.status IN ('scheduled', 'queued', 'processing') AND is_available)"
                " OR EXISTS (SELECT 1 FROM attempts WHERE finished_at IS NULL)"
            )
            return bool(found.scalar())

    def _watch_statuses(self) -> None:
        """Counts every change of status, by a trigger."""
        with self._engine.begin() as rows:
            rows.exec_driver_sql("CREATE TABLE moves (former TEXT, later TEXT)")
            rows.exec_driver_sql(
                "CREATE TRIGGER watch AFTER UPDATE OF status ON posts WHEN old.status <> new.status"
                " BEGIN INSERT INTO moves VALUES (old.status, new.status); END"
            )

    def _answered(self, caller: str) -> None:
        """A platform has carried out a request: whatever it published must have been allowed."""
        new = self._ledger.execute(
            "SELECT number, text FROM ledger WHERE number > ? ORDER BY number", (self._last,)
        ).fetchall()
        for number, text in new:
            self._last = number
            marked = _MARKER.search(text)
            if marked is not None:
                self._published(self.known[int(marked[1])], caller)

    def _published(self, known: Known, caller: str) -> None:
        now = self.clock.now()
        known.published_at.append(now)
        self.outcome.late.append((now - max(known.dues)).total_seconds())
        self.note(caller, "published", known.wish.number)
        post_id = self._people[known.wish.number].post_id
        with self._engine.connect() as rows:
            opened = rows.scalars(
                select(attempts.c.id).where(attempts.c.post_id == post_id, attempts.c.finished_at.is_(None))
            ).all()
        shared = self.script.workers > 1
        journal = None if shared else self._around.journal
        self.outcome.breaches += at_publication(
            known, now, open_attempts=opened, journal=journal, is_exact=shared
        )

    def _judge(self) -> None:
        outcome = self.outcome
        with self._engine.connect() as rows:
            store = Store.read(rows)
            moves = rows.exec_driver_sql("SELECT former || ' > ' || later, count(*) FROM moves GROUP BY 1")
            outcome.moves = Counter(dict(sorted((name, count) for name, count in moves)))
        ledger: dict[int, list[str]] = {}
        for text, content_id in self._ledger.execute("SELECT text, content_id FROM ledger ORDER BY number"):
            if (marked := _MARKER.search(text)) is not None:
                ledger.setdefault(int(marked[1]), []).append(content_id)
        refused = any(one.kind is Kind.ERROR_403 for one in self.faults.happened)
        for known, person in ((one, self._people[number]) for number, one in self.known.items()):
            if known.is_stored:
                found = ledger.get(known.wish.number, [])
                verdict = at_end(known, person.post_id, found, store, refused=refused)
                outcome.verdicts.append(verdict)
                outcome.breaches += verdict.breaches
                self.note("ended", known.wish.number, verdict.status, len(found), verdict.is_unknown)
        outcome.moves["(none) > scheduled or queued"] = len(outcome.verdicts)
        outcome.faults = list(self.faults.happened)
        outcome.calls = self.faults.events(Site.CALL)
        outcome.seconds = self._loop.time()
        outcome.trace = self._trace.hexdigest()
