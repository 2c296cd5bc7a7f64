"""A store with an account, and engines to set loose on it that can be killed."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from enum import Enum, auto
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

from sqlalchemy import Connection, Engine, Row, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from app.contract.enums import ConnectionPlatform, PostStatus
from app.database import Database, DatabaseUnreachableError, DiskFullError
from app.platforms.adapters import Adapter
from app.service.media.files import LocalMediaStore
from app.service.media.prober import Frames
from app.service.publishing.attachments import Attachments
from app.service.publishing.engine import PublishingEngine
from app.service.publishing.failovers import JournalCheck
from app.service.publishing.preparing import Preparer
from app.service.publishing.settings import PublishingSettings
from app.service.store.journal import SendJournal
from app.service.store.seal import KEY_BYTES, Seal
from app.service.store.tables import accounts, attempts, connections, contents, media, posts
from tests.service.publishing.fakes import FakePlatform, FakeTokens, FastTime
from tests.service.publishing.own_time import disk_at_work
from tests.stores import service_engine

T = TypeVar("T")

ENDED = {PostStatus.POSTED, PostStatus.FAILED, PostStatus.CANCELLED}
SETTINGS = PublishingSettings(
    settle_delay=timedelta(milliseconds=500),
    confirm_absence=timedelta(seconds=1),
    look_longest=timedelta(seconds=5),
    unknown_limit=timedelta(seconds=30),
    retry_first=timedelta(seconds=1),
    retry_longest=timedelta(seconds=4),
    repeat_rest=timedelta(milliseconds=500),
    repeat_margin=timedelta(seconds=5),
    tries=8,
    reconnect_look=timedelta(seconds=30),
)


class Step(Enum):
    """Where in a write the program dies."""

    BEFORE = auto()
    AFTER = auto()
    FULL = auto()  # it lives on, but the disk is full just then
    ODD = auto()  # it lives on, but the driver fails in a way that nobody foresaw


class MortalDatabase(Database):
    """A database at whose n-th awaited write from now the program dies.

    ``loses``: the answer to the first write after which it's true is lost.
    """

    loses: Callable[[], bool] | None = None

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, "the store", reads_in_place=engine.dialect.name == "sqlite")
        self.killed = asyncio.Event()
        self.deaths: list[tuple[int, Step]] = []
        self._writes = 0

    async def write(self, work: Callable[[Connection], T]) -> T:
        step = self._step()
        if step is Step.FULL:
            raise DiskFullError("The disk is full.")
        if step is Step.ODD:
            raise SQLAlchemyError("unforeseen")
        if step is Step.BEFORE:
            await self._die()
        with disk_at_work():
            result = await super().write(work)
        if step is Step.AFTER:
            await self._die()
        if self.loses is not None and self.loses():
            self.loses = None
            raise DatabaseUnreachableError("The server went away.")
        return result

    async def write_beside(self, work: Callable[[Connection], T]) -> T:
        return await self.write(work)

    def _step(self) -> Step | None:
        if not self.deaths:
            return None
        self._writes += 1
        if self._writes < self.deaths[0][0]:
            return None
        self._writes = 0
        return self.deaths.pop(0)[1]

    async def _die(self) -> None:
        self.killed.set()
        await asyncio.Event().wait()


class World:
    """One store, its accounts, and the platforms around it."""

    def __init__(
        self,
        folder: Path,
        platforms: Iterable[FakePlatform],
        connections_each: int = 1,
        store: str | None = None,
        *,
        engine: Engine | None = None,
        time: FastTime | None = None,
    ) -> None:
        self.folder = folder
        self.store = store
        self.database = MortalDatabase(engine or service_engine(folder, store))
        self.platforms = {platform.platform: platform for platform in platforms}
        self.adapters: Mapping[ConnectionPlatform, Adapter] = self.platforms
        self.files = LocalMediaStore(folder / "media")
        frames = Frames(self.files)
        self.attachments = Attachments(self.database, self.files, Seal(bytes(KEY_BYTES)), frames=frames)
        self.tokens = FakeTokens()
        self.time = time or FastTime()
        for platform in self.platforms.values():
            platform.time = self.time
            platform.killed = self.database.killed
        self.account_id = uuid4()
        self.connections: dict[ConnectionPlatform, list[UUID]] = {
            name: [uuid4() for _ in range(connections_each)] for name in self.platforms
        }
        self.database.write_now(self._add_account)
        self._tasks: list[asyncio.Task[None]] = []
        self.journal: SendJournal | None = None

    def _add_account(self, rows: Connection) -> None:
        now = self.time.now()
        rows.execute(
            insert(accounts).values(
                id=self.account_id, name="A", plan="local", status="active", created_at=now
            )
        )
        for platform, ids in self.connections.items():
            for number, connection_id in enumerate(ids):
                rows.execute(
                    insert(connections).values(
                        id=connection_id,
                        account_id=self.account_id,
                        platform=platform.value,
                        account_identifier=f"person-{number}",
                        is_available=True,
                        access_token=b"sealed",
                        created_at=now,
                    )
                )

    def engine(
        self,
        settings: PublishingSettings = SETTINGS,
        *,
        exclusive: bool = True,
        database: Database | None = None,
        journal: SendJournal | None = None,
        check: JournalCheck | None = None,
    ) -> PublishingEngine:
        """An engine in this process, or in one with its own sessions and its own journal."""
        return PublishingEngine(
            database or self.database,
            self.tokens,
            self.adapters,
            self.attachments,
            clock=self.time,
            settings=settings,
            exclusive=exclusive,
            journal=journal or self.journal,
            check=check,
        )

    def start(self, settings: PublishingSettings = SETTINGS, *, exclusive: bool = True) -> PublishingEngine:
        """An engine that runs in the background."""
        engine = self.engine(settings, exclusive=exclusive)
        self._tasks.append(asyncio.create_task(engine.run()))
        return engine

    def prepare(self, settings: PublishingSettings = SETTINGS, *, exclusive: bool = True) -> Preparer:
        """A preparer that runs in the background."""
        preparer = Preparer(
            self.database,
            self.tokens,
            self.adapters,
            self.attachments,
            clock=self.time,
            settings=settings,
            exclusive=exclusive,
        )
        self._tasks.append(asyncio.create_task(preparer.run()))
        return preparer

    async def crash(self) -> None:
        """Every engine ends where it stands; nothing is tidied up."""
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()

    async def live_through(self, settings: PublishingSettings = SETTINGS, *, exclusive: bool = True) -> None:
        """Runs engines, a new one after every death, until nothing is left to do."""
        while True:
            self.database.killed.clear()
            self.start(settings, exclusive=exclusive)
            died = asyncio.create_task(self.database.killed.wait())
            done = asyncio.create_task(self.until_done())
            await asyncio.wait({died, done}, return_when=asyncio.FIRST_COMPLETED)
            died.cancel()
            if done.done():
                await done
                return
            done.cancel()
            await self.crash()

    async def close(self) -> None:
        await self.crash()
        self.database.close()

    def add(
        self,
        text: str = "Hello",
        *,
        due_in: timedelta = timedelta(),
        platform: ConnectionPlatform | None = None,
        status: PostStatus = PostStatus.SCHEDULED,
        connection: int = 0,
        picture: bytes = b"",
    ) -> UUID:
        """Stores a post, with a file when there is a picture; its id."""
        name = platform or next(iter(self.platforms))
        post_id = uuid4()
        now = self.time.now()
        row = {
            "id": post_id,
            "account_id": self.account_id,
            "connection_id": self.connections[name][connection],
            "platform": name.value,
            "post_type": "image" if picture else "text",
            "media_storage_path": self._store_picture(picture) if picture else "",
            "status": status.value,
            "description": text,
            "scheduled_at": now + due_in,
            "created_via": "rest",
            "created_at": now,
        }
        self.database.write_now(lambda rows: rows.execute(insert(posts).values(row)))
        return post_id

    def _store_picture(self, picture: bytes) -> str:
        path = f"{self.account_id}/picture-{uuid4().hex[:8]}.png"
        incoming = self.files.begin(path)
        incoming.write(picture)
        row = {
            "id": uuid4(),
            "account_id": self.account_id,
            "storage_path": path,
            "kind": "image",
            "content_type": "image/png",
            "size_bytes": len(picture),
            "sha256": incoming.finish(),
            "created_at": self.time.now(),
        }
        incoming.keep(path)
        self.database.write_now(lambda rows: rows.execute(insert(media).values(row)))
        return path

    def post(self, post_id: UUID) -> Row[Any]:
        return self.database.read_now(
            lambda rows: rows.execute(select(posts).where(posts.c.id == post_id)).one()
        )

    def attempts(self, post_id: UUID) -> list[Row[Any]]:
        wanted = select(attempts).where(attempts.c.post_id == post_id).order_by(attempts.c.started_at)
        return self.database.read_now(lambda rows: list(rows.execute(wanted)))

    def contents(self) -> list[Row[Any]]:
        return self.database.read_now(lambda rows: list(rows.execute(select(contents))))

    def unfinished(self) -> int:
        """Posts that still wait, and attempts whose end is not known."""

        def work(rows: Connection) -> int:
            waiting = select(func.count()).where(posts.c.status.not_in([status.value for status in ENDED]))
            opened = select(func.count()).where(attempts.c.finished_at.is_(None))
            return (rows.scalar(waiting) or 0) + (rows.scalar(opened) or 0)

        return self.database.read_now(work)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits for something that must come true."""
        end = time.monotonic() + 300
        async with asyncio.timeout(50):
            while not holds():
                assert time.monotonic() < end, "it never came true"
                await asyncio.sleep(0.005)

    async def until_done(self) -> None:
        await self.until(lambda: self.unfinished() == 0)
