"""The service as one simulated program: what ``app/service/assembly.py`` puts together for publishing."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.base import TimeSource
from app.platforms.registry import build_adapters
from app.service.clock import PlatformClock
from app.service.connections.platforms import Platforms as Registered
from app.service.connections.renewals import Renewals
from app.service.connections.tokens import TokenKeeper
from app.service.media.files import LocalMediaStore
from app.service.publishing.attachments import Attachments
from app.service.publishing.clock import Timekeeper
from app.service.publishing.engine import PublishingEngine
from app.service.publishing.platform_time import PlatformTime, connected_sources
from app.service.publishing.preparing import Preparer
from app.service.publishing.settings import PublishingSettings
from app.service.restoring import look_into_past
from app.service.store.folder import DataFolder
from app.service.store.journal import Journaled, SendJournal, Sent
from tests.simulation.faults import Faults
from tests.simulation.lives import Life
from tests.simulation.outside import PRACTICE, Platforms
from tests.simulation.publishing.claims import WatchedWire, watch
from tests.simulation.publishing.ground import CREDENTIALS, SEAL
from tests.simulation.store import SimulatedDatabase, Store

_SKEW: Final = timedelta(seconds=2)


class OwnTime(PlatformTime):
    """The time of a program that has its store alone, by its machine's clocks."""

    def __init__(
        self,
        life: Life,
        clock: PlatformClock,
        database: Database,
        ask: Callable[[TimeSource], Awaitable[None]],
    ) -> None:
        super().__init__(clock, partial(database.read, connected_sources), ask)
        self._life = life

    def elapsed(self) -> timedelta:
        return timedelta(seconds=self._life.steady())

    async def sleep(self, length: timedelta) -> None:
        await super().sleep(length)
        await self._life.passes()


class ServerTime(Timekeeper):
    """The time of programs that share a server: that of the server, known without delay.

    It replaces ``DatabaseTime``, whose measurements need PostgreSQL.
    """

    def __init__(self, life: Life) -> None:
        self._life = life

    def now(self) -> datetime:
        return self._life.world_now()

    @property
    def problem(self) -> str | None:
        return "The clock is wrong." if abs(self._life.clock_off) > _SKEW else None

    def elapsed(self) -> timedelta:
        return timedelta(seconds=self._life.steady())

    async def sleep(self, length: timedelta) -> None:
        await super().sleep(length)
        await self._life.passes()


class MemoryJournal(SendJournal):
    """The journal, kept by the world instead of files. Each program has one; ``lines`` are shared."""

    def __init__(self, life: Life, lines: list[Sent]) -> None:
        super().__init__([])
        self._life = life
        self._lines = lines

    def write(self, group: Sequence[Sent]) -> None:
        self._life.must_live()
        self._lines += group

    def read(self, now: datetime) -> Journaled:
        del now
        return Journaled([self._lines])


@dataclass(frozen=True)
class Surroundings:
    """What programs of one world share.

    ``sending`` gets the program, its engine's id, and what ``Sending`` says.
    """

    store: Store
    files: LocalMediaStore
    platforms: Platforms
    faults: Faults
    chance: random.Random
    folder: DataFolder
    journal: list[Sent]
    note: Callable[..., None]
    is_shared: bool
    settings: PublishingSettings
    sending: Callable[..., None]


class Program:
    """One process of the service, from its start to its death."""

    def __init__(self, life: Life, around: Surroundings) -> None:
        self.life = life
        alone = not around.is_shared
        self.database = SimulatedDatabase(
            around.store, life, around.faults, around.note, is_server=around.is_shared
        )
        wire = WatchedWire(around.platforms, life, around.faults, around.chance, around.note)
        own_clock = PlatformClock(life.machine, life.steady)
        server_time = ServerTime(life)
        self.clock = own_clock if alone else server_time.now

        def heard(source: TimeSource, theirs: datetime, asked: float) -> None:
            own_clock.heard(source, theirs, life.steady(asked))

        adapters = build_adapters(PRACTICE, wire=wire, clock=self.clock, heard=heard if alone else None)
        platforms = Registered(adapters, dict.fromkeys(ConnectionPlatform, CREDENTIALS))
        tokens = TokenKeeper(self.database, SEAL, platforms, self.clock)
        attachments = Attachments(self.database, around.files, SEAL)
        out = self.database, tokens, adapters, attachments
        time = OwnTime(life, own_clock, self.database, adapters.ask_time) if alone else server_time
        journal = MemoryJournal(life, around.journal) if alone else None
        roll, settings = around.chance.random, around.settings
        if journal is not None:
            past = look_into_past(around.folder, self.database, self.clock(), journal, alone=True)
            settings = settings.model_copy(update={"restored_at": past.restored_at})
        self.publishing = PublishingEngine(
            *out, clock=time, settings=settings, exclusive=alone, journal=journal, roll=roll
        )
        watch(adapters.values(), wire, partial(around.sending, life, self.publishing._owner))
        preparer = Preparer(*out, clock=time, settings=settings, exclusive=alone, roll=roll)
        renewals = Renewals(self.database, tokens, self.clock, exclusive=alone)
        self._workers = self.publishing, preparer, renewals
        for worker in self._workers:
            life.start(worker.run())

    async def stop(self) -> None:
        """Ends the program in good order."""
        await asyncio.gather(*(worker.stop() for worker in self._workers))
