"""One world: a store, platforms with accounts, programs that renew, and people with their browsers."""

import asyncio
import random
import shutil
import sqlite3
import tempfile
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import httpx
from sqlalchemy import insert, select

from app.contract.enums import Action, ConnectionPlatform, KeyScope
from app.contract.limits import CONNECTION_STATE_LIFETIME
from app.database import DatabaseError
from app.database.dialects import sqlite_engine
from app.platforms.adapters import Adapter
from app.platforms.base import FailureKind, PlatformError
from app.practice.desk import Desk
from app.practice.grants import Consent
from app.practice.identities import Identity
from app.practice.platforms import PLATFORMS
from app.practice.platforms.base import Platform as PracticePlatform
from app.practice.server import create_app
from app.service.accounts.accounts import Caller, Plan, create_key
from app.service.api.responses import ApiError
from app.service.connections.flow_rows import Choice, ChoiceDue, FlowEnd, Stage
from app.service.store.folder import MIGRATIONS, DataFolder
from app.service.store.seal import open_seal, secret
from app.service.store.tables import accounts, connections
from tests.migrated import lay
from tests.simulation.accounts.invariants import (
    FIGURES,
    Rule,
    Tokens,
    at_end,
    counts_agree,
    on_end,
    within_limits,
)
from tests.simulation.accounts.plan import Act, Verb, Wish, draw, simpler
from tests.simulation.accounts.program import SETTINGS, Program, Surroundings, Under
from tests.simulation.faults import RATES, Faults, Kind, Site
from tests.simulation.fleet import Fleet
from tests.simulation.lives import START, WorldClock, outside, owned_tasks
from tests.simulation.loop import SimulatedLoop, simulate
from tests.simulation.outside import Platforms
from tests.simulation.publishing.ground import ACCOUNT, STORE, fast_folder, practice_settings
from tests.simulation.room import Breach, Outcome, Room, Script
from tests.simulation.store import Store
from tests.simulation.workspace.network import Exchange

_CLOCKS: Final = frozenset({Kind.CLOCK, Kind.CLOCK_BETWEEN})
_UNWRITABLE: Final = frozenset({Kind.DISK_FULL, Kind.READ_ONLY, Kind.CONFLICT})
_MOMENT_S: Final = 40.0
_MARGIN: Final = timedelta(seconds=2)
_REFUSALS_REMEMBERED_S: Final = 900.0
_REST_S: Final = 900.0
_USES_AT_END: Final = 8
_PATIENCE: Final = 20
_RELOADS: Final = 3
_REFUSING: Final = (Kind.ERROR_401, Kind.ERROR_403)
_WATCH: Final = """
CREATE TABLE ends (number INTEGER PRIMARY KEY, id TEXT);
CREATE TRIGGER watch AFTER UPDATE OF is_available ON connections
WHEN old.is_available AND NOT new.is_available
BEGIN INSERT INTO ends (id) VALUES (new.id); END;
"""


@cache
def _ground() -> tuple[Path, str]:
    """A folder with an empty store and secrets, and an API key."""
    folder = Path(tempfile.mkdtemp(prefix="simulated-", dir=fast_folder()))
    lay(folder / STORE, MIGRATIONS)
    own = DataFolder(folder)
    for path in (own.seal_key, own.cursor_key, own.link_key):
        secret(path)
    engine = sqlite_engine(folder / STORE)
    with engine.begin() as rows:
        row = {"id": ACCOUNT, "name": "A", "plan": "free", "status": "active", "created_at": START}
        rows.execute(insert(accounts).values(row))
        _, key = create_key(rows, ACCOUNT, KeyScope.API_FULL, None, START)
    engine.dispose()
    return folder, key


def play(script: Script[Wish]) -> Outcome[Wish]:
    """Runs a world from beginning to end."""
    folder = Path(tempfile.mkdtemp(prefix="world-", dir=fast_folder()))
    try:
        shutil.copytree(_ground()[0], folder, dirs_exist_ok=True)
        return simulate(lambda loop: World(loop, script, folder).live())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class World:
    """See the module."""

    def __init__(self, loop: SimulatedLoop, script: Script[Wish], folder: Path) -> None:
        loop.set_task_factory(owned_tasks)
        chance = random.Random(f"{script.seed} world")  # noqa: S311  chance, no secret
        # Some worlds begin in the last hours of a month.
        month_end = datetime(2026, 4, 1, tzinfo=UTC) - timedelta(hours=round(chance.uniform(0, 6), 3))
        self.clock = WorldClock(loop, chance.choice((START, month_end)))
        self.outcome: Outcome[Wish] = Outcome(script)
        self._loop = loop
        self._script = script
        self._faults = Faults(script.seed, script.rates, script.played)
        self._trace = sha256()
        self._store = Store(folder / STORE, _WATCH)
        settings = practice_settings(folder, self.clock)
        self._app, self._desk = create_app(settings), Desk.open(settings)
        self._tokens = sqlite3.connect(settings.data / "practice.sqlite3", isolation_level=None)
        self._seal = open_seal(DataFolder(folder))
        self._seen_ends = 0
        self._refusals: deque[float] = deque()
        self._numbers = {(wish.platform.value, self._identifier(wish)): wish.number for wish in script.wishes}
        calls = any(act.verb is Verb.CALL for wish in script.wishes for act in wish.acts)
        self._around = Surroundings(
            folder=folder,
            store=self._store,
            platforms=Platforms(self._app, self.clock, lambda *_: None),
            faults=self._faults,
            chance=random.Random(f"{script.seed} delays"),  # noqa: S311  chance, no secret
            note=self.note,
            under=Under(),
            twice=lambda: self._breach(Rule.TWICE, 0, "two programs renew at once"),
            committed=self._committed,
            called=[],
            is_shared=script.workers > 1,
            has_api=calls,
        )
        self._fleet = Fleet(
            lambda life: Program(life, self._around),
            script.workers,
            clock=self.clock,
            faults=self._faults,
            chance=chance,
            note=self.note,
            stop=Program.stop,
            moment_s=_MOMENT_S,
        )

    async def live(self) -> Outcome[Wish]:
        """Runs until everybody has done what they wanted, uses each account once more, and judges."""
        async with self._app.router.lifespan_context(self._app):
            self._fleet.begin()
            await asyncio.gather(*(outside(self._follow(wish)) for wish in self._script.wishes))
            self._fleet.calm()
            await asyncio.sleep(_REST_S)
            await self._use_dead()
            self._judge()
            self._fleet.end()
        self._desk.store.close()
        self._tokens.close()
        self._store.close()
        return self.outcome

    def note(self, *words: object) -> None:
        """Takes what happens into the trace."""
        if any(word in _REFUSING for word in words):
            self._refusals.append(self._loop.time())
        self._trace.update(f"{self._loop.time():.6f} {' '.join(map(str, words))}\n".encode())

    def _committed(self) -> None:
        """A program has written: whatever ended must have been dead."""
        query = "SELECT number, id FROM ends WHERE number > ? ORDER BY number"
        for number, connection_id in self._store.ask(query, self._seen_ends):
            self._seen_ends = number
            row = self._row_of(UUID(connection_id))
            assert row is not None
            while self._refusals and self._refusals[0] < self._loop.time() - _REFUSALS_REMEMBERED_S:
                self._refusals.popleft()
            tokens, wish = self._tokens_of(row), self._number_of(row)
            self.note("ended", wish, tokens)
            self.outcome.branches["ended"] += 1
            refusals, renewed = len(self._refusals), self._is_renewed(row)
            self.outcome.breaches += on_end(wish, tokens, refusals, is_renewed=renewed)

    def _row_of(self, connection_id: UUID | None) -> Any:
        found = select(connections).where(connections.c.id == connection_id)
        return self._store.run(lambda rows: rows.execute(found).one_or_none())

    def _identifier(self, wish: Wish) -> str:
        """The platform's ID of the account."""
        return self._platform_of(wish).identifier(Identity.of(wish.platform.value, wish.person))

    def _platform_of(self, wish: Wish) -> PracticePlatform:
        return next(kind for kind in PLATFORMS if kind.name == wish.platform)(self._desk)

    def _number_of(self, row: Any) -> int:
        return self._numbers[row.platform, row.account_identifier]

    def _known(self, wish: Wish) -> UUID | None:
        """The account, as its owner finds it in the list: also if the answer to connecting it was lost."""
        query = "SELECT id FROM connections WHERE platform = ? AND account_identifier = ?"
        found = self._store.ask(query, wish.platform.value, self._identifier(wish))
        return UUID(found[0][0]) if found else None

    def _tokens_of(self, row: Any) -> Tokens:
        """What the platform says of the stored tokens."""
        access = self._seal.open(row.access_token, row.id)
        refresh = self._seal.open(row.refresh_token, row.id) if row.refresh_token else ""
        works = {
            kind: self._tokens.execute(
                "SELECT 1 FROM tokens JOIN grants ON grants.id = grant_id WHERE token = ? AND kind = ?"
                " AND NOT revoked AND NOT tokens.spent AND tokens.expires_at > ?",
                (token, kind, self.clock.seconds()),
            ).fetchone()
            is not None
            for kind, token in (("access", access), ("refresh", refresh))
        }
        return Tokens(works["access"], works["refresh"])

    def _is_renewed(self, row: Any) -> bool:
        """Whether a program that lives has got new tokens for those that are stored, if they come with it."""
        if row.refresh_token is None or row.platform != ConnectionPlatform.X:
            return False
        by = self._around.under.answered.get(self._seal.open(row.refresh_token, row.id))
        return by is not None and not by.is_dead

    async def _follow(self, wish: Wish) -> None:
        for act in wish.acts:
            await asyncio.sleep(max(0.0, act.at_s - self._loop.time()))
            self.note("act", wish.number, act.verb)
            self.outcome.branches[act.verb] += 1
            match act.verb:
                case Verb.CONNECT:
                    await self._connect(wish, act)
                case Verb.USE:
                    await self._use(wish)
                case Verb.REVOKE:
                    self._revoke(wish)
                case Verb.CALL:
                    await self._call_often(act)

    async def _ask(self, work: Callable[[Program], Awaitable[Any]]) -> Any:
        """Has a program do something in a task of its own; None when it dies of it or fails."""
        program = self._fleet.any()
        if program is None:
            return None
        task = program.life.start(_collected(work, program))
        await asyncio.wait([task])
        return None if task.cancelled() or task.exception() is not None else task.result()

    async def _connect(self, wish: Wish, act: Act) -> None:
        """Goes to the platform and comes back after a while. What is known already is authorized again."""
        known = self._known(wish)

        async def begin(program: Program) -> Any:
            flows = program.parts.flows
            if known is not None:
                return await flows.reconnect(Caller(ACCOUNT), known, None)
            return await flows.begin(Caller(ACCOUNT), wish.platform)

        begun = None
        for _ in range(_PATIENCE):
            begun = await self._ask(begin)
            if begun is not None:
                break
            await asyncio.sleep(5)
        if begun is None:
            return
        begun_at = self.clock.now()
        await asyncio.sleep(act.long)
        took = self.clock.now() - begun_at  # what a stalled program adds doesn't count
        answer = self._consent(wish, begun.connect_url)
        end = await self._come_back(wish, answer)
        if isinstance(end, ChoiceDue):
            self.outcome.branches["choice"] += 1
            await asyncio.sleep(act.long)
            took = self.clock.now() - begun_at
            end = await self._choose(wish, end.token)
        if isinstance(end, FlowEnd):
            self._flow_ended(wish, end, took)

    async def _come_back(self, wish: Wish, answer: Mapping[str, str]) -> FlowEnd | ChoiceDue | None:
        """Returns from the platform's page, and reloads it as long as nothing comes."""
        end: FlowEnd | ChoiceDue | None = None
        for _ in range(_RELOADS):
            end = await self._ask(lambda program: program.parts.flows.end(wish.platform.value, answer))
            if end is not None:
                break
            await asyncio.sleep(5)
        return end

    async def _choose(self, wish: Wish, token: str) -> FlowEnd | None:
        """Connects the person's own account, and none of the others that the consent covers."""

        async def choose(program: Program) -> FlowEnd | Choice:
            shown = await program.parts.choices.show(token)
            if isinstance(shown, FlowEnd):
                return shown
            own = [one.profile.account_identifier for one in shown.accounts].index(self._identifier(wish))
            return await program.parts.choices.choose(token, {own})

        for _ in range(_RELOADS):
            end = await self._ask(choose)
            if end is not None:
                assert isinstance(end, FlowEnd)
                return end
            await asyncio.sleep(5)
        return None

    def _flow_ended(self, wish: Wish, end: FlowEnd, took: timedelta) -> None:
        self.note("flow", wish.number, end.stage)
        self.outcome.branches[f"flow {end.stage}"] += 1
        if end.stage is not Stage.CONNECTED or end.connection_id is None:
            return
        if any(fault.kind in _CLOCKS for fault in self._faults.happened):
            return  # the clock that said when it expires may have been right again by then
        if took > CONNECTION_STATE_LIFETIME + _MARGIN:
            self._breach(Rule.OVERDUE, wish.number, f"a flow connected after {took}")

    def _consent(self, wish: Wish, url: str) -> Mapping[str, str]:
        """What the browser comes back with from the platform's page."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        there, identity = self._platform_of(wish), Identity.of(wish.platform.value, wish.person)
        client = asked.get("client_id") or asked.get("client_key") or ""
        consent = Consent(
            identity, there.identifier(identity), client, asked["redirect_uri"],
            frozenset(there.scopes), asked.get("code_challenge", ""),
        )  # fmt: skip
        return {"state": asked["state"], "code": self._desk.grants.open_code(there.rules, consent)}

    def _revoke(self, wish: Wish) -> None:
        """The person takes back what they allowed, at the platform."""
        self._desk.grants.revoke_account(wish.platform.value, self._identifier(wish))

    async def _use(self, wish: Wish) -> None:
        """Calls the platform for the account, as a publication does."""
        known = self._known(wish)
        if known is None:
            return

        async def use(program: Program) -> None:
            tokens, adapter = program.parts.tokens, program.adapters[wish.platform]
            token = await tokens.access_token(known)
            for _ in range(2):
                if await _accepts(adapter, token):
                    return
                token = await tokens.refused(known, token)
            await tokens.ended(known, token)

        await self._ask(use)

    async def _use_dead(self) -> None:
        """Uses each dead account as often as it may take to notice, also one that dies meanwhile.

        An access token may expire after its renewal's answer was lost, which can't be avoided. Nobody learns
        that the account is dead before it's used again.
        """
        rounds, uses = 0, Counter[int]()
        while True:
            dead = [wish for wish in self._script.wishes if self._is_dead(wish)]
            if rounds >= _USES_AT_END and all(uses[wish.number] >= _USES_AT_END for wish in dead):
                return
            await asyncio.gather(*(self._use(wish) for wish in dead))
            uses.update(wish.number for wish in dead)
            rounds += 1
            await asyncio.sleep(60)

    def _is_dead(self, wish: Wish) -> bool:
        """Whether the account counts as available, and the platform takes none of its tokens."""
        row = self._row_of(self._known(wish))
        return row is not None and row.is_available and not self._tokens_of(row).are_alive

    async def _call_often(self, act: Act) -> None:
        """Many calls to the API within some seconds."""
        for _ in range(act.long):
            program = self._fleet.any()
            await asyncio.sleep(round(0.02 * self._around.chance.random(), 4))
            if program is None or program.app is None or program.life.is_dead:
                continue
            request = httpx.Request(
                "GET",
                f"{PRACTICE_ORIGIN}/api/v1/connections",
                headers={"authorization": f"Bearer {_ground()[1]}"},
            )
            with suppress(httpx.ReadError):
                await Exchange(program.app, program.life, request, b"").whole()

    def _breach(self, rule: Rule, number: int, seen: str) -> None:
        self.outcome.breaches.append(Breach(rule, number, f"at {self._loop.time():.1f}: {seen}"))

    def _judge(self) -> None:
        outcome = self.outcome
        told: dict[str, Counter[str]] = {}
        for kind, data in self._store.ask("SELECT type, data FROM events"):
            told.setdefault(data.partition('"connection_id":"')[2][:36], Counter())[kind] += 1
        ends = Counter(str(UUID(one)) for (one,) in self._store.ask("SELECT id FROM ends"))
        every = select(connections).order_by(connections.c.created_at)
        for row in self._store.run(lambda rows: rows.execute(every).all()):
            key, tokens = str(row.id), self._tokens_of(row)
            outcome.endings["available" if row.is_available else "ended"] += 1
            outcome.breaches += at_end(self._number_of(row), row, tokens, ends[key], told.get(key, Counter()))
        counted = Counter[str]()
        for period, count in self._store.ask("SELECT period, count FROM usage_counters"):
            counted[period] += count
        size = SETTINGS.limits.per_minute(Plan.FREE, Action.CONNECTIONS_LIST)
        for called in self._around.called:
            outcome.breaches += within_limits(called, size)
        outcome.figures = Counter(
            renewals=self._around.under.begun, calls=self._faults.events(Site.CALL), kills=self._fleet.deaths
        )
        is_writable = not any(fault.kind in _UNWRITABLE for fault in self._faults.happened)
        outcome.breaches += counts_agree(self._around.called, counted, always_writable=is_writable)
        outcome.figures.update(breach.rule.value for breach in outcome.breaches)
        outcome.faults = list(self._faults.happened)
        outcome.seconds = self._loop.time()
        self.note("ended", sorted(outcome.endings.items()), self._around.under.begun)
        outcome.trace = self._trace.hexdigest()


async def _accepts(adapter: Adapter, token: str) -> bool:
    """Whether a call with the token is not refused because of it."""
    try:
        await adapter.profiles(token)
    except PlatformError as error:
        return error.kind is not FailureKind.AUTH_EXPIRED
    return True


async def _collected(work: Callable[[Program], Awaitable[Any]], program: Program) -> Any:
    """The result of something that may be refused. A program that dies first never begins it."""
    try:
        return await work(program)
    except (ApiError, PlatformError, DatabaseError):
        return None


PRACTICE_ORIGIN: Final = "https://service.example"
_MOMENTS: Final = (
    Kind.DIE, Kind.DIE_TWICE, Kind.STOP, Kind.STALL, Kind.SUSPEND, Kind.CLOCK, Kind.CLOCK_BETWEEN,
)  # fmt: skip
_OWN_RATES: Final[Mapping[Kind, float]] = MappingProxyType(
    {
        **RATES,
        # There are many moments between two renewals.
        **dict.fromkeys(_MOMENTS, 0.001),
        Kind.DIE_IN_CALL: 0.006,
        Kind.DIE_AFTER_CALL: 0.006,
        Kind.ERROR_401: 0.002,
    }
)


def _workers(seed: int) -> int:
    return 2 if seed % 3 == 0 else 1


ROOM: Final = Room(
    "accounts",
    "renewals",
    figures=FIGURES,
    branches=(
        *(verb.value for verb in Verb),
        "ended",
        "choice",
        *(f"flow {stage.value}" for stage in (Stage.CONNECTED, Stage.FAILED)),
    ),
    draw=draw,
    play=play,
    rates=_OWN_RATES,
    workers=_workers,
    simpler=simpler,
)
