"""The service as one simulated program: what ``app/service/media/parts.py`` puts together."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from app.database.committer import Work
from app.media.protocol import ProbeResult
from app.service.accounts.accounts import Caller
from app.service.accounts.callers import write_for
from app.service.media.files import LocalMediaStore
from app.service.media.imports import Imports
from app.service.media.intake import Keeper, Uploads
from app.service.media.prober import Prober
from app.service.media.settings import LinkSigner
from app.service.media.stores import Incoming
from app.service.media.sweep import Sweeper
from app.service.outbound import OutboundClient, OutboundPolicy
from tests.simulation.faults import Faults, Kind, Site
from tests.simulation.lives import Life
from tests.simulation.media.origins import Origins, SimulatedOrigins
from tests.simulation.media.store import ShakyStore, ThreadedDatabase
from tests.simulation.store import Store

T = TypeVar("T")

_SIDE = 400


@dataclass(frozen=True)
class Surroundings:
    """What programs of one world share."""

    store: Store
    files: LocalMediaStore
    origins: Origins
    faults: Faults
    chance: random.Random
    note: Callable[..., None]
    is_shared: bool
    is_away: Callable[[], bool]
    restored_at: Callable[[], datetime | None]
    begun: list[Incoming]
    count: Counter[str]


class Program:
    """One process of the service, from its start to its death. ``service`` is what routes work with."""

    def __init__(self, life: Life, around: Surroundings) -> None:
        self.life = life
        self.database = ThreadedDatabase(
            around.store, life, around.faults, around.note, is_server=around.is_shared
        )
        # Programs that share a server have its clock, the others their machine's.
        self.clock = life.world_now if around.is_shared else life.machine
        faults, chance, note = around.faults, around.chance, around.note
        self.store = ShakyStore(
            around.files, life, faults, chance, note, around.is_away, around.begun, around.count
        )
        outbound = OutboundClient(
            OutboundPolicy(), transport=SimulatedOrigins(around.origins, life, faults, chance, note)
        )
        self.prober = Prober(self.database, self.store, self.clock, start=self._start_probing)
        keeper = Keeper(self.database, self.store, self.clock, self.prober.notify)
        signer = LinkSigner(b"key")
        self.uploads = Uploads(self.database, keeper, signer, self.clock)
        self.imports = Imports(self.database, keeper, outbound, self.clock)
        self.sweeper = Sweeper(self.database, self.store, self.clock, around.restored_at)
        media = SimpleNamespace(store=self.store, signer=signer, uploads=self.uploads, imports=self.imports)
        self.service: Any = SimpleNamespace(
            database=self.database, clock=self.clock, media=media, write=self._write
        )
        self._faults, self._chance = faults, chance
        for worker in (self.prober, self.sweeper):
            life.start(worker.run())

    async def _write(self, caller: Caller, work: Work[T]) -> T:
        return await write_for(self.database, caller, self.clock(), work)

    async def stop(self) -> None:
        """Ends in good order."""
        await asyncio.gather(self.prober.stop(), self.sweeper.stop())

    def _start_probing(self, _command: Sequence[str], patience: timedelta) -> "Probing":
        self.life.must_live()
        return Probing(self.life, self._faults, self._chance, patience)


class Probing:
    """The program that probes files, as far as others see it."""

    def __init__(self, life: Life, faults: Faults, chance: random.Random, patience: timedelta) -> None:
        self._patience = patience
        self._life = life
        self._faults = faults
        self._chance = chance

    async def probe(self, file: Path, kind: str) -> ProbeResult | None:
        del kind
        await self._life.passes()
        fault = self._faults.at(Site.CALL)
        if fault is not None and fault.kind is Kind.DIE_BEFORE_CALL:
            self._life.perish()
        if fault is not None and fault.kind in {Kind.SLOW, Kind.UNREACHABLE}:
            await asyncio.sleep(self._patience.total_seconds())
            return None
        await asyncio.sleep(0.1 + self._chance.random())
        await self._life.passes()
        is_there = file.exists()  # noqa: ASYNC240  nothing waits in a simulation
        return ProbeResult(width=_SIDE, height=_SIDE) if is_there else None

    def kill(self) -> None:
        """It is gone."""

    async def end(self) -> None:
        """It is gone."""
