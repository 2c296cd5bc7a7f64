"""A process that stands still for longer than its claims hold, and then goes on: never twice."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import Connection

from app.contract.enums import ConnectionPlatform, PostStatus
from app.database import Database
from app.database.engines import sqlite_engine
from app.service.publishing import PublishingEngine
from app.service.publishing.attachments import Attachments
from app.service.store.seal import KEY_BYTES, Seal
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FakePlatform, Fate
from tests.service.publishing.world import SETTINGS, World

T = TypeVar("T")
_HASTY = SETTINGS.model_copy(update={"lease": timedelta(seconds=2)})


class SleepyDatabase(Database):
    """The same store as another process has it, one that can fall asleep."""

    def __init__(self, path: Path) -> None:
        super().__init__(sqlite_engine(path), "the store")
        self.awake = asyncio.Event()
        self.awake.set()

    async def write(self, work: Callable[[Connection], T]) -> T:
        await self.awake.wait()
        return await super().write(work)


@pytest.mark.parametrize("fate", [Fate.ACCEPTED, Fate.LOST_AFTER, Fate.BUSY])
def test_what_was_taken_over_meanwhile_is_not_sent_any_more(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.PINTEREST]
        database = SleepyDatabase(world.folder / "service.db")
        post_id = world.add()

        async def sleep() -> None:
            there.during = None
            database.awake.clear()
            await database.awake.wait()

        there.during, there.fates = sleep, [fate]
        files = Attachments(database, world.files, Seal(bytes(KEY_BYTES)))
        sleeper = PublishingEngine(
            database, world.tokens, world.adapters, files, clock=world.time, settings=_HASTY, exclusive=False
        )
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
