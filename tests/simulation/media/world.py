"""One world: a store, people, programs that die and start again, weeks that pass, and what came of it."""

import asyncio
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection

from app.service.media.files import PART_SUFFIX, LocalMediaStore
from tests.simulation.api import Api
from tests.simulation.faults import RATES, Faults, Kind, Site
from tests.simulation.fleet import Fleet
from tests.simulation.lives import Life, WorldClock, outside, owned_tasks
from tests.simulation.loop import SimulatedLoop, simulate
from tests.simulation.media.ground import ground
from tests.simulation.media.invariants import Rule, Shelves, at_end, check_quota, number_of, strays
from tests.simulation.media.origins import Origins
from tests.simulation.media.people import Books, People
from tests.simulation.media.plan import CAP_BYTES, Verb, Wish, draw
from tests.simulation.media.program import Program, Surroundings
from tests.simulation.media.threads import ThreadedLoop
from tests.simulation.publishing.ground import STORE, fast_folder
from tests.simulation.room import Breach, Outcome, Room, Script
from tests.simulation.store import Functions, Store

_HOUR_S: Final = 3_600.0
_CLOCK_WRONG_S: Final = 4_000.0
_SWEPT_S: Final = 600.0
"""Long enough for the sweep that comes when a program goes on after days."""
_COPY_USABLE: Final = timedelta(days=25)
"""Older copies name files whose quarantine may be over."""
_SETTLED_DAYS: Final = (2, 2, 3)
"""Each begins with a sweep. Files may have the time of a clock that was five days ahead: after a week all of
them are settled."""
_QUARANTINE_DAYS: Final = (33, 2, 2)
"""The 30 days of the quarantine, and two sweeps that end it."""
_SITES: Final = (
    Kind.DIE_BEFORE_CALL, Kind.DIE_AFTER_CALL, Kind.UNREACHABLE, Kind.CUT_AFTER, Kind.SLOW, Kind.ERROR_503,
    Kind.STALL_IN_CALL,
)  # fmt: skip
"""Faults in a step of a store, in addition to those in writes and at moments."""
_FREQUENT: Final = {Kind.UNREACHABLE: 0.004, Kind.CUT_AFTER: 0.004, Kind.SLOW: 0.004, Kind.ERROR_503: 0.002}
_MOMENT_S: Final = 600.0
BRANCHES: Final = ("lost", "found again", "set aside", "undone", "purged", "parts cleared")
"""What sweeps do. `lost`: a row doesn't count while its file is missing; `found again`: it does again."""


def play(script: Script[Wish]) -> Outcome[Wish]:
    """Runs a world from beginning to end."""
    folder = Path(tempfile.mkdtemp(prefix="world-", dir=fast_folder()))
    try:
        shutil.copytree(ground(), folder, dirs_exist_ok=True)
        return simulate(lambda loop: World(loop, script, folder).live(), ThreadedLoop)
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
        self._folder = folder
        self._clock = WorldClock(loop)
        self._trace = sha256()
        functions: Functions = {
            "world_removed": self._removed, "world_stored": self._stored, "world_found": self._found,
            "world_lost": self._lost,
        }  # fmt: skip
        self._store = Store(folder / STORE, functions=functions)
        self._files = LocalMediaStore(folder / "media")
        self._files.root.mkdir()
        self._is_away = False
        self._restored_at: datetime | None = None
        self._may_be_over: set[str] = set()
        self._copy: tuple[sqlite3.Connection, Books, datetime] | None = None
        origins = Origins()
        self._around = Surroundings(
            store=self._store, files=self._files, origins=origins, faults=self.faults,
            chance=_random(script.seed, "delays"), note=self.note, is_shared=script.workers > 1,
            is_away=lambda: self._is_away, restored_at=lambda: self._restored_at,
            begun=[], count=self.outcome.branches,
        )  # fmt: skip
        self._fleet = Fleet(
            self._start, script.workers,
            clock=self._clock, faults=self.faults, chance=_random(script.seed, "world"), note=self.note,
            moment_s=_MOMENT_S, stop=Program.stop,
        )  # fmt: skip
        self._people = People(Api(self._fleet.any), origins, self.note)

    async def live(self) -> Outcome[Wish]:
        """Runs until weeks have passed after the last wish, and judges."""
        self._fleet.begin()
        await asyncio.gather(*(outside(self._fulfil(wish)) for wish in self.script.wishes))
        self._fleet.calm()
        self._bring_back()
        await asyncio.sleep(1.2 * _HOUR_S)
        await self._let_days_pass((*_SETTLED_DAYS, *_QUARANTINE_DAYS))
        before = list[str]()
        while (left := strays(self._store.run(self._look))) and left != before:
            before = left
            await self._let_days_pass(_QUARANTINE_DAYS)
        self._fleet.end()
        assert isinstance(self._loop, ThreadedLoop)
        self._loop.end_threads()
        self._judge()
        for incoming in self._around.begun:
            incoming.abandon()
        self._store.close()
        return self.outcome

    def note(self, *words: object) -> None:
        """Takes what happens into the trace."""
        self._trace.update(f"{self._loop.time():.6f} {' '.join(map(str, words))}\n".encode())

    def _start(self, life: Life) -> Program:
        return Program(life, self._around)

    def _removed(self, path: str) -> None:
        if path not in self._people.removed:
            self.outcome.breaches.append(Breach(Rule.UNASKED, number_of(path), f"{path}'s row was removed"))

    def _found(self, account_id: str) -> None:
        self.outcome.branches["found again"] += 1
        self._may_be_over.add(account_id)

    def _lost(self) -> None:
        self.outcome.branches["lost"] += 1

    def _stored(self, account_id: str, used: int) -> None:
        if used > CAP_BYTES and account_id not in self._may_be_over:
            self.outcome.breaches.append(Breach(Rule.OVER, -1, f"{used} bytes are stored of {CAP_BYTES}"))

    async def _fulfil(self, wish: Wish) -> None:
        await asyncio.sleep(max(0.0, wish.at_s - self._loop.time()))
        match wish.verb:
            case Verb.HIDE:
                self._hide(wish.turn)
            case Verb.AWAY:
                self._take_away()
            case Verb.BACK:
                self._bring_back()
            case Verb.COPY:
                self._copy_database()
            case Verb.RESTORE:
                self._restore(with_command=wish.turn % 2 == 0)
            case Verb.CLOCK:
                self._set_clocks(timedelta(days=wish.size))
                await asyncio.sleep(_CLOCK_WRONG_S)
                self._set_clocks(timedelta())
            case Verb.WAIT:
                self._let_pass(wish.size * _HOUR_S)
            case _:
                await self._people.live(wish)

    def _let_pass(self, seconds: float) -> None:
        for program in self._fleet.alive():
            program.life.stand_still(seconds, suspended=True)

    async def _let_days_pass(self, days: Sequence[int]) -> None:
        """Each of these numbers of days, and the sweep after it."""
        for number in days:
            self._let_pass(number * 24 * _HOUR_S)
            await asyncio.sleep(number * 24 * _HOUR_S + _SWEPT_S)

    def _set_clocks(self, off: timedelta) -> None:
        for program in self._fleet.alive():
            program.life.clock_off = off

    def _hide(self, turn: int) -> None:
        """A third of the files are missing."""
        root = self._files.root
        for file in sorted(root.glob("*/file-*")):
            if number_of(f"{file.parent.name}/{file.name}") % 3 == turn % 3 and file.suffix != PART_SUFFIX:
                _move(file, self._folder / "hidden" / file.relative_to(root))

    def _take_away(self) -> None:
        if not self._is_away:
            self._is_away = True
            self._files.root.rename(self._folder / "away")
            self._files.root.mkdir()

    def _bring_back(self) -> None:
        """Whatever is hidden or away lies in its place again."""
        for name in ("away", "hidden"):
            folder = self._folder / name
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    _move(file, self._files.root / file.relative_to(folder))
            shutil.rmtree(folder, ignore_errors=True)
        self._is_away = False

    def _copy_database(self) -> None:
        self._copy = self._store.copy(), self._people.copy_books(), self._clock.now()

    def _restore(self, *, with_command: bool) -> None:
        """Every program ends; the copy takes the database's place."""
        if self._copy is None or self._clock.now() - self._copy[2] > _COPY_USABLE:
            return
        for program in self._fleet.alive():
            program.life.die()
        copy, books, _ = self._copy
        self._store.put_back(copy)
        self._people.go_back_to(books)
        self._may_be_over.update(owner.replace("-", "") for owner in (path[:36] for path in books.stored))
        self._restored_at = self._clock.now() if with_command else None
        self.note("restored", with_command)

    def _look(self, opened: Connection) -> Shelves:
        return Shelves.look(opened, self._files.root, is_trusted=self._restored_at is None)

    def _judge(self) -> None:
        outcome, people = self.outcome, self._people
        shelves = self._store.run(self._look)
        outcome.breaches += self._store.run(lambda opened: [*check_quota(opened, self._clock.now())])
        outcome.breaches += people.breaches
        outcome.breaches += at_end(shelves, people.books.stored, people.removed)
        files = sum(wish.verb in {Verb.UPLOAD, Verb.IMPORT} for wish in self.script.wishes)
        known = sum(path in shelves.rows for path in shelves.files)
        outcome.endings = Counter(
            kept=len(people.books.stored), unconfirmed=known - len(people.books.stored),
            strays=len(shelves.files) - known, removed=len(people.removed),
        )  # fmt: skip
        outcome.figures = Counter(
            files=files, calls=self.faults.events(Site.CALL), kills=self._fleet.deaths, **outcome.endings
        )
        self.note(sorted(outcome.endings.items()))
        outcome.faults = list(self.faults.happened)
        outcome.seconds = self._loop.time()
        outcome.trace = self._trace.hexdigest()


def _move(file: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    if not to.exists():
        file.rename(to)


def _random(seed: int, name: str) -> random.Random:
    return random.Random(f"{seed} {name}")  # noqa: S311  chance, no secret


def _workers(seed: int) -> int:
    """Every third run has three programs, which share a server's clock."""
    return 3 if seed % 3 == 0 else 1


def _rates() -> dict[Kind, float]:
    moments = (Kind.DIE, Kind.DIE_TWICE, Kind.STALL, Kind.SUSPEND, Kind.CLOCK, Kind.CLOCK_BETWEEN, Kind.STOP)
    writes = [kind for kind in Kind if "write" in kind]
    writes += [Kind.LOST_COMMIT, Kind.CONFLICT, Kind.DISK_FULL, Kind.READ_ONLY]
    at_moments = {kind: RATES[kind] for kind in moments}
    return {kind: RATES[kind] for kind in (*writes, *_SITES)} | _FREQUENT | at_moments


ROOM: Final = Room(
    "media",
    "files",
    figures=("kept", "unconfirmed", "strays", "removed", *(rule.value for rule in Rule)),
    branches=BRANCHES,
    draw=draw,
    play=play,
    rates=MappingProxyType(_rates()),
    workers=_workers,
)
