"""The service and the apps as simulated programs, and what they begin with."""

import asyncio
import atexit
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import Engine
from starlette.applications import Starlette

from app.client import ServiceClient
from app.contract.enums import ConnectionPlatform, KeyScope, PostingPlatform
from app.database import Database
from app.database.dialects import sqlite_engine
from app.platforms.registry import build_adapters
from app.platforms.wire import Reply, Request
from app.service.accounts.accounts import create_key
from app.service.api.app import create_app
from app.service.api.context import Service
from app.service.api.cursors import Cursors
from app.service.assembly import make_webhooks
from app.service.companion.feed import ChangeFeed
from app.service.connections.parts import make_connections
from app.service.connections.platforms import Platforms
from app.service.limits import RateLimiter, TokenBuckets
from app.service.media.parts import make_media
from app.service.outbound import OutboundClient, OutboundPolicy
from app.service.settings import RunOptions, Settings
from app.service.store.folder import DataFolder
from app.service.store.seal import open_seal, secret
from app.service.transfer.moving import Moving
from app.service.usage.counter import UsageCounter
from app.workspace.clock import to_millis
from app.workspace.store.tables import MIGRATIONS
from app.workspace.workspace import Workspace
from tests.migrated import lay
from tests.simulation.faults import Faults
from tests.simulation.lives import START, Life
from tests.simulation.outside import PRACTICE
from tests.simulation.publishing.ground import ACCOUNT, CREDENTIALS, STORE, fast_folder
from tests.simulation.publishing.ground import ground as connected
from tests.simulation.store import Store
from tests.simulation.workspace.network import AppNetwork
from tests.simulation.workspace.queued import QueuedDatabase

BASE_URL: Final = "https://service.example"
APP_FILE: Final = "app.db"


@dataclass(frozen=True)
class Ground:
    """A folder with a service's store and secrets and an app's empty file, and what opens the service."""

    folder: Path
    key: str
    account_key: str

    def copy_to(self, folder: Path) -> None:
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)


@cache
def ground() -> Ground:
    """The same for every world of this process."""
    folder = Path(tempfile.mkdtemp(prefix="simulated-", dir=fast_folder()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copy(connected().folder / STORE, folder / STORE)
    lay(folder / APP_FILE, MIGRATIONS)
    own = DataFolder(folder)
    for path in (own.seal_key, own.cursor_key, own.link_key):
        secret(path)
    engine = sqlite_engine(folder / STORE)
    with engine.begin() as rows:
        _, key = create_key(rows, ACCOUNT, KeyScope.API_FULL, None, START)
    engine.dispose()
    return Ground(folder, key, str(connected().accounts[PostingPlatform.X][0].id))


@dataclass(frozen=True)
class Surroundings:
    """What programs of one world share."""

    folder: Path
    faults: Faults
    chance: random.Random
    note: Callable[..., None]
    new_id: Callable[[], UUID]


class ServiceProgram:
    """The API of ``app/service/assembly.py`` with the feed of changes. Nothing becomes due."""

    def __init__(self, life: Life, store: Store, around: Surroundings) -> None:
        self.life = life
        database = QueuedDatabase(store, life, around.faults, around.note, around.chance)
        folder, run, settings = DataFolder(around.folder), RunOptions(practice_url=PRACTICE), Settings()
        adapters = build_adapters(PRACTICE, wire=_NoWire(), clock=life.machine)
        platforms = Platforms(adapters, dict.fromkeys(ConnectionPlatform, CREDENTIALS))
        seal, outbound = open_seal(folder), OutboundClient(OutboundPolicy())
        feed, usage = ChangeFeed(database, life.machine), UsageCounter(database, life.machine)
        link_key = secret(folder.link_key)
        media = make_media(folder, database, link_key, outbound, life.machine, settings.media)
        service = Service(
            database=database,
            clock=life.machine,
            cursors=Cursors(secret(folder.cursor_key)),
            usage=usage,
            limiter=RateLimiter(settings.limits, TokenBuckets(life.steady)),
            feed=feed,
            connections=make_connections(database, seal, platforms, life.machine, settings, run, PRACTICE),
            media=media,
            moving=Moving(folder.root, database, media.store, seal, life.machine),
            webhooks=make_webhooks(database, seal, outbound, life.machine, run).console,
            notify=lambda: None,
            clock_ahead_seconds=lambda: None,
            practice=True,
            new_id=around.new_id,
        )
        self.app: Starlette = create_app(service)
        for worker in (feed, usage):
            life.start(worker.run())


class _NoWire:
    """Platforms are not called here."""

    async def exchange(self, request: Request) -> Reply:
        raise RuntimeError(f"a platform was called: {request}")

    async def aclose(self) -> None:
        """There is nothing to close."""


class AppProgram:
    """One run of an app; ``workspace`` is None until it is open."""

    def __init__(
        self,
        life: Life,
        slot: int,
        around: Surroundings,
        network: AppNetwork,
        opened: Callable[["AppProgram"], None],
    ) -> None:
        self.life = life
        self.slot = slot
        self.workspace: Workspace | None = None
        self._around = around
        self._network = network
        self._opened = opened
        self._store: Store | None = None
        life.start(self._open())

    @property
    def path(self) -> Path:
        return self._around.folder / f"app-{self.slot}.db"

    def put_away(self) -> None:
        """Lets go of the file; for when the program is dead."""
        if self._store is not None:
            self._store.close()

    async def close(self) -> None:
        """Ends as a person ends it."""
        workspace, self.workspace = self.workspace, None
        if workspace is not None:
            await workspace.close()
        self.life.die()

    async def _open(self) -> None:
        client = ServiceClient(BASE_URL, ground().key, transport=self._network)
        workspace = await Workspace.open(
            client,
            self.path,
            name="Simulated",
            practice=True,
            clock=lambda: to_millis(self.life.machine()),
            open_database=self._database,
            new_id=self._around.new_id,
        )
        self.workspace = workspace
        self._opened(self)
        await asyncio.Event().wait()

    def _database(self, engine: Engine, _name: str) -> Database:
        engine.dispose()
        self._store = Store(self.path)
        around = self._around
        return QueuedDatabase(self._store, self.life, around.faults, around.note, around.chance)
