"""One world: a service, two apps, people at both, and what came of it."""

import asyncio
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final
from uuid import UUID

from sqlalchemy import select
from starlette.applications import Starlette

from app.contract.enums import PostStatus
from app.service.store.tables import posts
from app.workspace.clock import to_millis
from app.workspace.workspace import Workspace
from tests.simulation.faults import RATES, Faults, Kind, Site
from tests.simulation.fleet import Fleet
from tests.simulation.lives import Life, WorldClock, outside, owned_tasks
from tests.simulation.loop import SimulatedLoop, simulate
from tests.simulation.publishing.ground import STORE, fast_folder
from tests.simulation.room import Breach, Outcome, Room, Script
from tests.simulation.store import Store
from tests.simulation.workspace.book import AppBook, State, number_of
from tests.simulation.workspace.invariants import FIGURES, Rule, Stored, at_end
from tests.simulation.workspace.network import AppNetwork
from tests.simulation.workspace.people import Person
from tests.simulation.workspace.plan import APPS, Edit, Verb, draw, simpler
from tests.simulation.workspace.programs import (
    APP_FILE,
    AppProgram,
    ServiceProgram,
    Surroundings,
    ground,
)

_LOOK_S: Final = 2.0
_QUIET_S: Final = 6.0
_LONGEST_REST_S: Final = 3 * 3600.0
_PATIENCE_S: Final = 1.0
_SERVICE: Final = APPS
"""The slot of the service; those before it are apps."""
_NEVER: Final = (Kind.LOST_COMMIT, Kind.DROPPED_FIELD, Kind.DOUBLED, Kind.CLOCK, Kind.CLOCK_BETWEEN)
_OWN_RATES: Final[Mapping[Kind, float]] = MappingProxyType(
    {
        **{kind: rate for kind, rate in RATES.items() if kind not in _NEVER},
        Kind.LATE_ARRIVAL: 0.01,
        Kind.EMPTY_LIST: 0.01,
        Kind.DIE: 0.04,
        Kind.SUSPEND: 0.004,
        Kind.STALL: 0.01,
    }
)


def play(script: Script[Edit]) -> Outcome[Edit]:
    """Runs a world from beginning to end."""
    folder = Path(tempfile.mkdtemp(prefix="world-", dir=fast_folder()))
    try:
        ground().copy_to(folder)
        random.seed(script.seed)  # for the jitter of clients
        return simulate(lambda loop: World(loop, script, folder).live())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class World:
    """See the module."""

    def __init__(self, loop: SimulatedLoop, script: Script[Edit], folder: Path) -> None:
        loop.set_task_factory(owned_tasks)
        self.outcome: Outcome[Edit] = Outcome(script)
        self._loop = loop
        self._script = script
        self._clock = WorldClock(loop)
        self._faults = Faults(script.seed, script.rates, script.played)
        self._trace = sha256()
        self._store = Store(folder / STORE)
        self._offline: set[int] = set()
        self._under_way = 0
        ids = random.Random(f"{script.seed} ids")  # noqa: S311  chance, no secret
        self._around = Surroundings(
            folder=folder,
            faults=self._faults,
            chance=random.Random(f"{script.seed} delays"),  # noqa: S311  chance, no secret
            note=self.note,
            new_id=lambda: UUID(int=ids.getrandbits(128), version=4),
        )
        for slot in range(APPS):
            shutil.copy(folder / APP_FILE, folder / f"app-{slot}.db")
        books = {slot: AppBook() for slot in range(APPS)}
        self._books = books
        self._people = [Person(slot, books, loop.time, self._breach) for slot in range(APPS)]
        self._apps: dict[int, AppProgram] = {}
        self._service: ServiceProgram | None = None
        self._fleet: Fleet[AppProgram | ServiceProgram] = Fleet(
            self._start,
            APPS + 1,
            clock=self._clock,
            faults=self._faults,
            chance=random.Random(f"{script.seed} moments"),  # noqa: S311  chance, no secret
            note=self.note,
        )

    async def live(self) -> Outcome[Edit]:
        """Runs until everything has been done and is quiet, and judges."""
        self._fleet.begin()
        await asyncio.gather(*(outside(self._follow(slot)) for slot in range(APPS)))
        self._fleet.calm()
        self._offline.clear()
        await self._rest()
        await self._judge()
        self._fleet.end()
        for app in self._apps.values():
            app.put_away()
        self._store.close()
        return self.outcome

    def note(self, *words: object) -> None:
        """Takes what happens into the trace."""
        self._trace.update(f"{self._loop.time():.6f} {' '.join(map(str, words))}\n".encode())

    def _start(self, life: Life) -> AppProgram | ServiceProgram:
        slot = int(life.name.rpartition("-")[2])
        if slot == _SERVICE:
            self._service = ServiceProgram(life, self._store, self._around)
            return self._service
        if slot in self._apps:
            self._apps[slot].put_away()
        network = AppNetwork(
            self._reach,
            life,
            self._faults,
            self._around.chance,
            self.note,
            is_online=lambda: slot not in self._offline,
            book=self._books[slot],
            under_way=self._count_under_way,
            may_lose_list=lambda: self._knows_several(slot),
        )
        self._apps[slot] = AppProgram(life, slot, self._around, network, self._opened)
        return self._apps[slot]

    def _reach(self) -> tuple[Starlette, Life] | None:
        service = self._service
        return None if service is None or service.life.is_dead else (service.app, service.life)

    def _count_under_way(self, more: int) -> None:
        self._under_way += more

    def _knows_several(self, slot: int) -> bool:
        """Whether the service has too many of an app's posts for it to believe that all of them are gone."""
        workspace = self._apps[slot].workspace
        return workspace is not None and len(workspace.posts) - len(workspace._core.mirror.unsent) >= 8

    def _opened(self, app: AppProgram) -> None:
        workspace = app.workspace
        assert workspace is not None
        self.note("opened", app.slot, len(workspace.posts))
        self._people[app.slot].sit_down(workspace, app.life)
        app.life.start(self._people[app.slot].look_at_composer(workspace))

    async def _follow(self, slot: int) -> None:
        """Perform the actions of an app's user while the app runs."""
        for edit in self._script.wishes:
            if edit.app != slot:
                continue
            await asyncio.sleep(max(0.0, edit.at_s - self._loop.time()))
            workspace = await self._opened_app(slot)
            self.note("edit", edit.number, edit.verb)
            self.outcome.branches[edit.verb] += 1
            match edit.verb:
                case Verb.OFFLINE:
                    self._offline.add(slot)
                case Verb.ONLINE:
                    self._offline.discard(slot)
                    workspace.look_again()
                case Verb.RESTART:
                    await self._restart(slot)
                case _:
                    self._people[slot].do(workspace, edit)

    async def _restart(self, slot: int) -> None:
        app = self._apps[slot]
        await asyncio.wait([app.life.start(app.close())])

    async def _opened_app(self, slot: int) -> Workspace:
        while True:
            app = self._apps[slot]
            if app.workspace is not None and not app.life.is_dead and app.life.is_awake:
                return app.workspace
            await asyncio.sleep(_PATIENCE_S)

    async def _rest(self) -> None:
        """Until nothing has been left to do for a while."""
        end, quiet_since = self._loop.time() + _LONGEST_REST_S, self._loop.time()
        while self._loop.time() < end and self._loop.time() - quiet_since < _QUIET_S:
            await asyncio.sleep(_LOOK_S)
            for slot in range(APPS):
                workspace = await self._opened_app(slot)
                self._people[slot].choose(workspace, here=slot == 0)
            if self._under_way or list(self._unsettled()):
                quiet_since = self._loop.time()
        self.outcome.late.append(
            self._loop.time() - max((one.at_s for one in self._script.wishes), default=0)
        )

    def _unsettled(self) -> Sequence[Breach]:
        apps = {slot: app.workspace for slot, app in self._apps.items() if app.workspace is not None}
        if any(not workspace.is_writing_kept or workspace.sync.saving for workspace in apps.values()):
            return [Breach(Rule.UNSENT, 0, "something is still to be written")]
        found = at_end(self._stored(), self._books, apps)
        return [one for one in found if one.rule in (Rule.DIVERGED, Rule.UNSENT)]

    def _stored(self) -> dict[int, list[Stored]]:
        found: dict[int, list[Stored]] = {}
        columns = posts.c.description, posts.c.scheduled_at, posts.c.status, posts.c.id
        wanted = select(*columns).order_by(posts.c.id)
        for text, at, status, service_id in self._store.run(lambda rows: rows.execute(wanted).all()):
            number = number_of(text or "")
            if number is not None:
                known = PostStatus(status)
                state = State(to_millis(at), known is PostStatus.CANCELLED)
                found.setdefault(number, []).append(Stored(state, known, str(service_id)))
        return found

    def _breach(self, rule: str, number: int, seen: str) -> None:
        self.outcome.breaches.append(Breach(Rule(rule), number, f"at {self._loop.time():.1f}: {seen}"))

    async def _judge(self) -> None:
        outcome = self.outcome
        apps = {slot: await self._opened_app(slot) for slot in range(APPS)}
        stored = self._stored()
        outcome.breaches += at_end(stored, self._books, apps)
        outcome.endings = Counter(row.status.value for rows in stored.values() for row in rows)
        for number, rows in sorted(stored.items()):
            self.note("ended", number, *(f"{row.state} {row.status}" for row in rows))
        outcome.faults = list(self._faults.happened)
        outcome.figures = Counter(
            {
                "edits": len(self._script.wishes),
                "calls": self._faults.events(Site.CALL),
                "kills": self._fleet.deaths,
            }
        )
        outcome.figures.update(breach.rule.value for breach in outcome.breaches)
        outcome.seconds = self._loop.time()
        outcome.trace = self._trace.hexdigest()


ROOM: Final = Room(
    "workspace",
    "edits",
    figures=FIGURES,
    branches=tuple(verb.value for verb in Verb),
    draw=draw,
    play=play,
    rates=_OWN_RATES,
    simpler=simpler,
)
