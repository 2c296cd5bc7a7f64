"""One world: a store, platforms, programs that die and start again, people, and what came of it."""

import asyncio
import math
import random
import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final
from uuid import UUID

from app.contract.enums import PostStatus
from app.platforms.wire import Request
from app.practice.server import create_app
from app.service.media.files import LocalMediaStore
from app.service.publishing.settings import PublishingSettings
from app.service.store.folder import DataFolder
from tests.simulation.api import Api
from tests.simulation.faults import RATES, Fault, Faults, Kind, Site
from tests.simulation.fleet import Fleet
from tests.simulation.lives import START, Life, WorldClock, outside, owned_tasks
from tests.simulation.loop import FreezingLoop, SimulatedLoop, simulate
from tests.simulation.outside import Platforms
from tests.simulation.publishing.by_hand import WATCH, at_hand_over
from tests.simulation.publishing.ground import STORE, fast_folder, ground, practice_settings
from tests.simulation.publishing.inbox import USER, WATCH_FAILURES, Inbox
from tests.simulation.publishing.invariants import (
    FIGURES,
    Rows,
    after_waking,
    at_call,
    at_end,
    at_publication,
    in_inbox,
    published_by_hand,
)
from tests.simulation.publishing.moves import BRANCHES, MOVES
from tests.simulation.publishing.moves import WATCH as WATCH_MOVES
from tests.simulation.publishing.people import Batch, Person
from tests.simulation.publishing.plan import HAND_OVER_S, Known, Wish, draw, simpler
from tests.simulation.publishing.program import Program, Surroundings
from tests.simulation.room import Breach, Outcome, Room, Script
from tests.simulation.store import Store

_MARKER: Final = re.compile(r"Sim(\d{6})")
_OPEN: Final = "SELECT id FROM attempts WHERE post_id = ? AND finished_at IS NULL"
_LOOK_S: Final = 2.0
_LONGEST_REST_S: Final = 13 * 3600.0  # longer than the grace
_COPIES: Final = (Kind.OLD_COPY, Kind.OLD_COPY_TOLD)
_COPY_EVERY_S: Final = 20.0
_LAGS_S: Final = (0.0, 0.0, 1.0, 4.0)
_WORKS_S: Final = (0.3, 0.3, 5.0, 40.0)
"""How long platforms work on files."""
SETTINGS: Final = PublishingSettings(
    unknown_limit=timedelta(minutes=9), hand_over_limit=timedelta(seconds=HAND_OVER_S)
)
"""As usual, but what cannot be found out is given up sooner: it is what worlds wait for most. Not before the
last moment at which a call to LinkedIn can be repeated, though. Users have minutes to publish by hand."""

_NEXT_VERSION: Final = (
    "ALTER TABLE posts ADD COLUMN next_{0} TEXT",
    "ALTER TABLE attempts ADD COLUMN next_{0} INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX ix_next_{0} ON posts (status, next_{0}, scheduled_at)",
)
"""What migrations do while programs of the version before go on."""


def play(script: Script[Wish]) -> Outcome[Wish]:
    """Runs a world from beginning to end."""
    folder = Path(tempfile.mkdtemp(prefix="world-", dir=fast_folder()))
    try:
        ground().copy_to(folder)
        return simulate(lambda loop: World(loop, script, folder).live(), FreezingLoop)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class World:
    """See the module."""

    def __init__(self, loop: SimulatedLoop, script: Script[Wish], folder: Path) -> None:
        loop.set_task_factory(owned_tasks)
        chance = random.Random(f"{script.seed} world")  # noqa: S311  chance, no secret
        # X's tokens live for two hours: in some worlds they are renewed.
        self.clock = WorldClock(loop, START + timedelta(seconds=round(chance.uniform(60, 6900), 3)))
        self.script = script
        self.outcome: Outcome[Wish] = Outcome(script)
        self.faults = Faults(script.seed, script.rates, script.played)
        self._loop = loop
        self._trace = sha256()
        self._store = Store(folder / STORE, f"{WATCH_MOVES}{WATCH}{WATCH_FAILURES}", told=self._told)
        settings = practice_settings(folder, self.clock, chance.choice(_LAGS_S), chance.choice(_WORKS_S))
        self._app = create_app(settings)
        self._ledger = sqlite3.connect(settings.data / "practice.sqlite3", isolation_level=None)
        self._last = self._ledger.execute("SELECT coalesce(max(number), 0) FROM ledger").fetchone()[0]
        self._copies: list[tuple[datetime, sqlite3.Connection]] = []
        self._put_back_at = -math.inf
        self._versions = 0
        self.known = {wish.number: Known(wish) for wish in script.wishes}
        files = LocalMediaStore(folder / "media")
        platforms = Platforms(self._app, self.clock, self._answered)
        inbox = [one for one in self.known.values() if one.wish.is_to_inbox]
        self._inbox = Inbox(
            self._store, files, platforms, self._ledger, self.clock, inbox, settings.processing_s
        )
        self._around = Surroundings(
            store=self._store,
            files=files,
            platforms=platforms,
            faults=self.faults,
            chance=random.Random(f"{script.seed} delays"),  # noqa: S311  chance, no secret
            folder=DataFolder(folder),
            journal=[],
            note=self.note,
            is_shared=script.workers > 1,
            settings=SETTINGS,
            sending=self._sending,
        )
        self._fleet = Fleet(
            lambda life: Program(life, self._around), script.workers,
            clock=self.clock, faults=self.faults, chance=chance, note=self.note, stop=Program.stop,
            between=self._replace if script.workers == 1 else None, update=self._update,
            suspend_s=lambda fault: 5 * 2_000**fault.size,  # up to three hours
        )  # fmt: skip
        api = Api(self._fleet.any)
        self._people = {
            number: Person(one, api, self.clock, ground(), self.note) for number, one in self.known.items()
        }
        self._numbers = dict[UUID, int]()
        self._callers = [*self._callers_of(api)]

    def _callers_of(self, api: Api[Program]) -> Iterator[Person | Batch]:
        """Who creates posts: each person alone, but those of a batch together."""
        batches: dict[int, list[Person]] = {}
        for number, person in self._people.items():
            batch = self.known[number].wish.batch
            if batch is None:
                yield person
            else:
                batches.setdefault(batch, []).append(person)
        for number, people in batches.items():
            yield Batch(number, people, api, self.clock, self.note)

    async def live(self) -> Outcome[Wish]:
        """Runs until everything has ended, and judges."""
        async with self._app.router.lifespan_context(self._app):
            self._fleet.begin()
            copies = outside(self._keep_copies())
            await asyncio.gather(*(outside(one.live()) for one in self._callers))
            last = max((wish.due_s or 0 for wish in self.script.wishes), default=0)
            await asyncio.sleep(max(0, last - self._loop.time()))
            self._fleet.calm()
            copies.cancel()
            await self._rest()
            self._fleet.end()
            self._judge()
        self._ledger.close()
        self._store.close()
        return self.outcome

    def note(self, *words: object) -> None:
        """Takes what happens into the trace."""
        self._trace.update(f"{self._loop.time():.6f} {' '.join(map(str, words))}\n".encode())

    async def _keep_copies(self) -> None:
        """Copies of the store, as people make them; where none is put back, none is made.

        Their timers would change the order of others that end at the same time.
        """
        played = {fault.kind for fault in self.script.played or ()}
        while any(self.script.rates.get(kind) or kind in played for kind in _COPIES):
            self._copies.append((self.clock.now(), self._store.copy()))
            await asyncio.sleep(_COPY_EVERY_S)

    def _replace(self, fault: Fault, life: Life) -> None:
        """Changes the store while no program runs."""
        if fault.kind is Kind.STEPS_LOST:
            self.note("steps lost")
            self._store.run(lambda rows: rows.exec_driver_sql("UPDATE publication_steps SET value = x''"))
        else:
            self._put_back(fault, life)

    def _put_back(self, fault: Fault, life: Life) -> None:
        """Replaces the store by an older copy."""
        at, copy = self._copies[int(fault.size * len(self._copies))]
        self.note("put back", at)
        self._store.put_back(copy)
        self._put_back_at = self._loop.time()
        if fault.kind is Kind.OLD_COPY_TOLD:
            self._around.folder.keep_restored(life.machine())
        for known in self.known.values():
            known.forget_since(at)

    def _update(self) -> None:
        """Brings the store to the next version, as a program does that starts after an update."""
        self._versions += 1
        statements = [statement.format(self._versions) for statement in _NEXT_VERSION]
        self.note("version", self._versions)
        self._store.run(lambda rows: [rows.exec_driver_sql(one) for one in statements])

    async def _rest(self) -> None:
        """Until nothing is left to do."""
        end = self._loop.time() + _LONGEST_REST_S
        while self._unfinished() and self._loop.time() < end:  # noqa: ASYNC110  rows tell nobody of changes
            await asyncio.sleep(_LOOK_S)
        await asyncio.sleep(_LOOK_S)

    def _unfinished(self) -> bool:
        [(found,)] = self._store.ask(
            "SELECT EXISTS (SELECT 1 FROM posts JOIN connections ON connections.id = connection_id"
            " WHERE posts.status IN ('scheduled', 'queued', 'processing') AND is_available)"
            " OR EXISTS (SELECT 1 FROM attempts WHERE finished_at IS NULL)"
        )
        return bool(found)

    def _answered(self, caller: str, sent_at: float, request: Request) -> None:
        """A platform has carried out a request: whatever it published must have been allowed."""
        for known in self._inbox.arrived(request):
            self._published(known, caller, sent_at)
        new = self._ledger.execute(
            "SELECT number, text FROM ledger WHERE number > ? ORDER BY number", (self._last,)
        ).fetchall()
        for number, text in new:
            self._last = number
            marked = _MARKER.search(text)
            if marked is None:
                continue
            known = self.known[int(marked[1])]
            if known.wish.is_to_inbox:
                self._finished(known, caller)
            else:
                self._published(known, caller, sent_at)

    def _finished(self, known: Known, caller: str) -> None:
        """A post that goes to an inbox was published."""
        known.finished_at = self.clock.now()
        self.note(caller, "finished", known.wish.number)
        self.outcome.breaches += in_inbox(known, None if caller == USER else caller)

    def _published(self, known: Known, caller: str, sent_at: float) -> None:
        now = self.clock.now()
        known.published_at.append(now)
        self.outcome.late.append((now - max(known.dues)).total_seconds())
        self.note(caller, "published", known.wish.number)
        post_id = self._people[known.wish.number].post_id
        opened = self._open_attempts(post_id, sent_at)
        shared = self.script.workers > 1
        journal = None if shared else self._around.journal
        self.outcome.breaches += at_publication(
            known, now, open_attempts=opened, journal=journal, is_exact=shared
        )
        self.outcome.breaches += self._after_waking(known, now)

    def _sending(self, life: Life, owner: UUID, post_id: UUID, *, may_publish: bool) -> None:
        """A program is about to send a request for a post, which it must have claimed.

        What can't publish it may also be sent by one that just couldn't renew its claim.
        """
        lease = SETTINGS.lease.total_seconds()
        if life.is_dead or (not may_publish and life.couldnt_go_on(within=lease)):
            return
        found = "SELECT status, claimed_by, claimed_until FROM posts WHERE id = ?"
        for status, holder, until in self._store.ask(found, post_id.hex):  # none if its user has deleted it
            if status == PostStatus.POSTED and not may_publish:
                return  # another worker, whose claim was over, has found meanwhile that it's live
            number = self._number(post_id)
            now = self.clock.now() if self.script.workers > 1 else None
            self.outcome.breaches += at_call(number, (holder, until), owner, now)

    def _number(self, post_id: UUID) -> int:
        if post_id not in self._numbers:
            self._numbers |= {one.post_id: number for number, one in self._people.items()}
        return self._numbers[post_id]

    def _open_attempts(self, post_id: UUID, sent_at: float) -> Sequence[UUID]:
        """Those in the store when a call was sent; if a copy replaced it since, the journal has them."""
        if sent_at <= self._put_back_at:
            return [sent.attempt_id for sent in self._around.journal if sent.post_id == post_id]
        return [UUID(found) for (found,) in self._store.ask(_OPEN, post_id.hex)]

    def _told(self, what: str, post: str, *more: int) -> None:
        """A post has changed as the world wants to know."""
        if what == "failed":
            self.known[self._number(UUID(post))].failed_at = self.clock.now()
        else:
            self._handed_over(post, *more)

    def _handed_over(self, post: str, due: int) -> None:
        """A user was asked to publish a post."""
        number, now = self._number(UUID(post)), self.clock.now()
        known = self.known[number]
        self.outcome.late.append((now - max(known.dues)).total_seconds())
        self.note("handed over", number)
        at = datetime.fromtimestamp(due / 1000, UTC)
        self.outcome.breaches += at_hand_over(known, now, at, is_right=self._fleet.is_right)
        self.outcome.breaches += self._after_waking(known, now)

    def _after_waking(self, known: Known, now: datetime) -> Iterator[Breach]:
        """Whether it was late, in runs without other faults than computers that were suspended."""
        played = {fault.kind for fault in self.script.played or ()}
        if {kind for kind, rate in self.script.rates.items() if rate} | played <= {Kind.SUSPEND}:
            yield from after_waking(known, now, self.clock.at(self._fleet.woke_at))

    def _judge(self) -> None:
        outcome = self.outcome
        store = self._store.run(Rows.read)
        outcome.branches = Counter(dict(self._store.ask(MOVES)))
        unknown, ledger = 0, dict[int, list[str]]()
        for text, content_id in self._ledger.execute("SELECT text, content_id FROM ledger ORDER BY number"):
            if (marked := _MARKER.search(text)) is not None:
                ledger.setdefault(int(marked[1]), []).append(content_id)
        refusals = Counter(self._around.platforms.refused)
        for known, person in ((one, self._people[number]) for number, one in self.known.items()):
            if known.is_stored:
                found: Sequence[str] = ledger.get(known.wish.number, [])
                if known.wish.is_by_hand:
                    found = [*found, *published_by_hand(known, person.post_id, store)]
                verdict = at_end(known, person.post_id, found, store, refusals, self.clock.now())
                outcome.breaches += verdict.breaches
                outcome.endings[verdict.status] += 1
                unknown += verdict.is_unknown
                self.note("ended", known.wish.number, verdict.status, len(found), verdict.is_unknown)
        outcome.branches[BRANCHES[0]] = outcome.endings.total()
        outcome.figures = Counter(
            posts=outcome.endings.total(), calls=self.faults.events(Site.CALL), kills=self._fleet.deaths,
            posted=outcome.endings["posted"], failed=outcome.endings["failed"], unknown=unknown,
        )  # fmt: skip
        outcome.faults = list(self.faults.happened)
        outcome.seconds = self._loop.time()
        outcome.trace = self._trace.hexdigest()


def _workers(seed: int) -> int:
    """Every third run has three programs, which share a server's clock."""
    return 3 if seed % 3 == 0 else 1


ROOM: Final = Room(
    "publishing",
    "posts",
    figures=("posted", "failed", "unknown", *(rule.value for rule in FIGURES)),
    branches=BRANCHES,
    draw=draw,
    play=play,
    rates={**RATES, Kind.UPDATE: 0.004},
    workers=_workers,
    simpler=simpler,
)
