"""A process that stands still for longer than its claims hold, and then goes on: never twice."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import Connection

from app.contract.enums import ConnectionPlatform, PostStatus
from app.database import Database
from app.platforms.base import LookBack, LookBackOutcome, Publication, Published
from app.service.publishing.attachments import Attachments
from app.service.publishing.engine import PublishingEngine
from app.service.store.seal import KEY_BYTES, Seal
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FakePlatform, Fate
from tests.service.publishing.own_time import disk_at_work
from tests.service.publishing.world import SETTINGS, World
from tests.stores import service_engine

T = TypeVar("T")
_HASTY = SETTINGS.model_copy(update={"lease": timedelta(seconds=25)})


class SleepyDatabase(Database):
    """The same store as another process has it, one that can fall asleep."""

    def __init__(self, folder: Path) -> None:
        super().__init__(service_engine(folder), "the store")
        self.awake = asyncio.Event()
        self.awake.set()

    async def write(self, work: Callable[[Connection], T]) -> T:
        await self.awake.wait()
        with disk_at_work():
            return await super().write(work)


class UploadingPlatform(FakePlatform):
    """Like TikTok: a publication is asked for by its upload, which is remembered when it begins."""

    def __init__(self) -> None:
        super().__init__(ConnectionPlatform.TIKTOK)
        self.uploads = 0
        self.published: set[str | None] = set()
        self.woken = asyncio.Event()
        self.uploading: Callable[[], Awaitable[None]] | None = None

    async def prepare(self, publication: Publication) -> None:
        if await publication.steps.get("upload") is None:
            self.uploads += 1
            await self._upload(publication, str(self.uploads))

    async def _upload(self, publication: Publication, upload: str) -> None:
        if self.uploading is None:
            await publication.steps.put("upload", upload)
            return
        try:
            await self.uploading()
            await publication.steps.put("upload", upload)
        finally:
            self.woken.set()

    async def publish(self, publication: Publication) -> Published:
        self.published.add(await publication.steps.get("upload"))
        return await super().publish(publication)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        if await publication.steps.get("upload") not in self.published:
            return LookBack(LookBackOutcome.ABSENT)
        return await super().look_back(publication, since=since, known=known)


def another_engine(world: World, database: SleepyDatabase) -> PublishingEngine:
    files = Attachments(database, world.files, Seal(bytes(KEY_BYTES)))
    return PublishingEngine(
        database, world.tokens, world.adapters, files, clock=world.time, settings=_HASTY, exclusive=False
    )


@pytest.mark.parametrize("fate", [Fate.ACCEPTED, Fate.LOST_AFTER, Fate.BUSY])
def test_what_was_taken_over_meanwhile_is_not_sent_any_more(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.PINTEREST]
        database = SleepyDatabase(world.folder)
        post_id = world.add()

        async def sleep() -> None:
            there.during = None
            database.awake.clear()
            await database.awake.wait()

        there.during, there.fates = sleep, [fate]
        sleeper = another_engine(world, database)
        running = asyncio.create_task(sleeper.run())
        await world.until(lambda: not database.awake.is_set())
        world.start(_HASTY, exclusive=False)
        await world.until(lambda: world.post(post_id).status == PostStatus.POSTED)
        database.awake.set()
        await world.until(lambda: there.at_once == 0)
        await world.time.sleep(_HASTY.retry_longest)
        await sleeper.stop()
        await running
        database.close()

        assert there.ledger == [("person-0", "Hello")]
        assert len(world.contents()) == 1
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, FakePlatform(ConnectionPlatform.PINTEREST))


def test_an_upload_that_was_taken_over_meanwhile_is_not_remembered(play: Played) -> None:
    there = UploadingPlatform()

    async def scene(world: World) -> None:
        database = SleepyDatabase(world.folder)
        world.add(picture=b"picture")

        async def sleep() -> None:
            there.uploading = None
            database.awake.clear()
            await database.awake.wait()

        async def wake() -> None:
            there.during = None
            database.awake.set()
            await there.woken.wait()

        there.uploading, there.during, there.fates = sleep, wake, [Fate.LOST_AFTER]
        sleeper = another_engine(world, database)
        running = asyncio.create_task(sleeper.run())
        await world.until(lambda: not database.awake.is_set())
        world.start(_HASTY, exclusive=False)
        await world.until_done()
        await sleeper.stop()
        await running
        database.close()

        assert there.uploads == 2
        assert there.ledger == [("person-0", "Hello")]

    play(scene, there)
