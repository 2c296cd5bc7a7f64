"""The service as one simulated program: tokens, renewals, flows, and the API with its limits and counts."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import parse_qs
from uuid import UUID

from app.contract.enums import Action, ConnectionPlatform
from app.database import Database
from app.database.committer import Work
from app.platforms.registry import build_adapters
from app.platforms.wire import Reply, Request
from app.service.api.app import create_app
from app.service.api.context import Service
from app.service.api.cursors import Cursors
from app.service.assembly import make_webhooks
from app.service.clock import Clock, PlatformClock
from app.service.companion.feed import ChangeFeed
from app.service.connections.parts import ConnectionParts, make_connections
from app.service.connections.platforms import Platforms as Registered
from app.service.limits import RateLimiter, TokenBuckets
from app.service.media.parts import make_media
from app.service.outbound import OutboundClient, OutboundPolicy
from app.service.settings import RunOptions, Settings
from app.service.store.folder import DataFolder
from app.service.store.seal import open_seal, secret
from app.service.transfer.moving import Moving
from app.service.usage.counter import UsageCounter, month_of
from tests.simulation.accounts.invariants import Called
from tests.simulation.faults import Faults
from tests.simulation.lives import Life
from tests.simulation.outside import PRACTICE, Platforms, SimulatedWire
from tests.simulation.publishing.ground import CREDENTIALS
from tests.simulation.store import Store
from tests.simulation.workspace.queued import QueuedDatabase

T = TypeVar("T")

SETTINGS: Final = Settings()


@dataclass
class Under:
    """Renewals, by refresh token.

    Attributes:
        by: The programs that wait for an answer.
        answered: The program that got new tokens for it.
    """

    by: dict[str, list[Life]] = field(default_factory=dict)
    answered: dict[str, Life] = field(default_factory=dict)
    begun: int = 0

    @contextmanager
    def renewing(self, token: str, life: Life, twice: Callable[[], None]) -> Iterator[None]:
        """While one program renews; ``twice`` is called when another one that is awake does so, too."""
        others = self.by.setdefault(token, [])
        if any(other is not life and other.is_awake for other in others):
            twice()
        self.begun += 1
        others.append(life)
        try:
            yield
        finally:
            others.remove(life)


@dataclass(frozen=True)
class Surroundings:
    """What programs of one world share."""

    folder: Path
    store: Store
    platforms: Platforms
    faults: Faults
    chance: random.Random
    note: Callable[..., None]
    under: Under
    twice: Callable[[], None]
    committed: Callable[[], None]
    called: list[Called]
    is_shared: bool
    has_api: bool


class WatchedDatabase(QueuedDatabase):
    """Has the world look after each commit, also when the program dies of it."""

    def __init__(self, life: Life, around: Surroundings) -> None:
        super().__init__(
            around.store, life, around.faults, around.note, around.chance, is_server=around.is_shared
        )
        self._committed = around.committed

    async def commit(self, work: Work[T]) -> T:
        try:
            return await super().commit(work)
        finally:
            self._committed()


class WatchedWire(SimulatedWire):
    """Knows which renewals are under way."""

    def __init__(self, life: Life, around: Surroundings) -> None:
        super().__init__(around.platforms, life, around.faults, around.chance, around.note)
        self._owner = life
        self._around = around

    async def exchange(self, request: Request) -> Reply:
        token = _refresh_token(request)
        if token is None:
            return await super().exchange(request)
        with self._around.under.renewing(token, self._owner, self._around.twice):
            reply = await super().exchange(request)
        if reply.status == 200 and _is_whole(reply.body):
            self._around.under.answered[token] = self._owner
        return reply


class WatchedUsage(UsageCounter):
    """Notes each call when it is admitted: its caller may learn of that much later, or never."""

    def __init__(self, database: Database, clock: Clock, life: Life, called: Called) -> None:
        super().__init__(database, clock)
        self._now = clock
        self._life = life
        self._called = called

    def count(self, account_id: UUID, action: Action) -> None:
        self._called.admitted.append((self._life.steady(), month_of(self._now)))
        super().count(account_id, action)


def _is_whole(body: bytes) -> bool:
    """Whether an answer brings what a renewal should."""
    try:
        told = json.loads(body)
    except ValueError:
        return False
    return isinstance(told, dict) and {"access_token", "refresh_token", "expires_in"} <= told.keys()


def _refresh_token(request: Request) -> str | None:
    """The refresh token that a call uses up, if it does."""
    if not isinstance(request.body, bytes) or b"grant_type=refresh_token" not in request.body:
        return None
    return parse_qs(request.body.decode())["refresh_token"][0]


class Program:
    """One process of the service, from its start to its death."""

    def __init__(self, life: Life, around: Surroundings) -> None:
        self.life = life
        alone = not around.is_shared
        self._database = WatchedDatabase(life, around)
        own_clock = PlatformClock(life.machine, life.steady)
        self.clock = own_clock if alone else life.world_now
        adapters = build_adapters(
            PRACTICE,
            wire=WatchedWire(life, around),
            clock=self.clock,
            heard=own_clock.heard if alone else None,
        )
        folder, run = DataFolder(around.folder), RunOptions(practice_url=PRACTICE, alone=alone)
        registered = Registered(adapters, dict.fromkeys(ConnectionPlatform, CREDENTIALS))
        seal = open_seal(folder)
        self.adapters = adapters
        self.parts: ConnectionParts = make_connections(
            self._database, seal, registered, self.clock, SETTINGS, run, PRACTICE
        )
        life.start(self.parts.renewals.run())
        self.app = None
        if around.has_api:
            called = Called()
            around.called.append(called)
            life.start(_note_death(life, called))
            usage = WatchedUsage(self._database, self.clock, life, called)
            outbound = OutboundClient(OutboundPolicy())
            link_key = secret(folder.link_key)
            media = make_media(folder, self._database, link_key, outbound, self.clock, SETTINGS.media)
            self.app = create_app(
                Service(
                    database=self._database,
                    clock=self.clock,
                    cursors=Cursors(secret(folder.cursor_key)),
                    usage=usage,
                    limiter=RateLimiter(SETTINGS.limits, TokenBuckets(life.steady)),
                    feed=ChangeFeed(self._database, self.clock),
                    connections=self.parts,
                    media=media,
                    moving=Moving(folder.root, self._database, media.store, seal, self.clock),
                    webhooks=make_webhooks(self._database, seal, outbound, self.clock, run).console,
                    notify=lambda: None,
                    clock_ahead_seconds=lambda: None,
                    practice=True,
                )
            )
            life.start(usage.run())

    async def stop(self) -> None:
        """Ends renewals in good order."""
        await self.parts.renewals.stop()


async def _note_death(life: Life, called: Called) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        called.died_at = life.steady()
