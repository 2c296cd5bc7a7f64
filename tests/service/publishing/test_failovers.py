"""Failovers of PostgreSQL to a standby that lacks the last transactions: nothing is published twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog

from app.contract.enums import ConnectionPlatform, PostStatus
from app.database import Database
from app.database.postgresql import postgresql_engine, postgresql_url
from app.platforms.base import Publication, Published
from app.service.restoring import look_into_past
from app.service.store.folder import MIGRATIONS, DataFolder
from tests.postgres import Cluster, NoPostgresError, running_cluster, running_standby
from tests.service.publishing.fakes import FakePlatform, FastTime
from tests.service.publishing.world import SETTINGS, World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.logs_error("DatabaseUnreachableError"),
    pytest.mark.logs_error("could not be"),
]
_SPEED = 5
"""Slow enough for failures to be logged, and for processes to connect again during a pause."""
_HASTY = SETTINGS.model_copy(update={"failover_pause": timedelta(seconds=10), "lease": timedelta(seconds=15)})
_OUTAGE = timedelta(seconds=3)
"""A failover takes longer."""


class SlowPlatform(FakePlatform):
    """Publishes when it's called, and answers when it's allowed to."""

    def __init__(self, platform: ConnectionPlatform) -> None:
        super().__init__(platform)
        self.answer = asyncio.Event()
        self.answer.set()

    async def publish(self, publication: Publication) -> Published:
        item = await super().publish(publication)
        await self.answer.wait()
        await publication.steps.put("answer", "only once")
        return item


class Servers:
    """A primary and its standby with one database, and a platform of which a world posts."""

    def __init__(self, primary: Cluster, standby: Cluster) -> None:
        self.primary = primary
        self.standby = standby
        name = postgresql_url(primary.create_database(MIGRATIONS)).database
        self.url = f"postgresql://kalends@/{name}?host={primary.folder},{standby.folder}"

    def open(self) -> Database:
        return Database(postgresql_engine(postgresql_url(self.url)), "the store")

    async def let_standby_lag(self) -> None:
        """Let the standby have everything up to now, and nothing more."""
        await asyncio.to_thread(self.standby.catch_up, self.primary)
        await asyncio.to_thread(self.standby.leave_primary)

    async def fail_over(self) -> None:
        await asyncio.to_thread(self.primary.stop, "immediate")
        await asyncio.to_thread(self.standby.promote)


@pytest.fixture
def servers() -> Iterator[Servers]:
    with ExitStack() as running:
        try:
            primary = running.enter_context(running_cluster(durable=False))
            standby = running.enter_context(running_standby(primary))
        except NoPostgresError as reason:
            pytest.skip(str(reason))
        yield Servers(primary, standby)


@pytest.fixture(autouse=True)
def plain_log() -> Iterator[None]:
    """Errors of the outage are logged without colours and variables, which take a second each."""
    processors: list[Any] = structlog.get_config()["processors"]  # in place, like in ``tests/conftest.py``
    renderer = processors.pop()
    processors.append(structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback))
    yield
    processors[-1] = renderer


@pytest.fixture
async def world(servers: Servers, tmp_path: Path) -> AsyncIterator[World]:
    platform = SlowPlatform(ConnectionPlatform.X)
    world = World(
        tmp_path, [platform], engine=postgresql_engine(postgresql_url(servers.url)), time=FastTime(_SPEED)
    )
    yield world
    await world.close()


@asynccontextmanager
async def machine(world: World, servers: Servers, name: str) -> AsyncIterator[Database]:
    """A machine with a process that publishes, and with a journal of its own."""
    folder = DataFolder(world.folder / name)
    folder.make()
    database = servers.open()
    past = look_into_past(folder, database, world.time.now(), alone=False)
    engine = world.engine(_HASTY, exclusive=False, database=database, journal=past.journal, check=past.check)
    running = asyncio.create_task(engine.run())
    try:
        yield database
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        database.close()


def calls_of(world: World) -> Counter[str]:
    """Count the publications of each text."""
    return Counter(text for _, text in platform_of(world).ledger)


def platform_of(world: World) -> SlowPlatform:
    (platform,) = world.platforms.values()
    assert isinstance(platform, SlowPlatform)
    return platform


async def test_a_call_that_the_new_server_lacks_is_looked_for_and_not_repeated(
    world: World, servers: Servers
) -> None:
    called, due = world.add("called"), world.add("due", due_in=_OUTAGE)
    await servers.let_standby_lag()
    async with machine(world, servers, "one"):
        await world.until(lambda: world.post(called).status == PostStatus.POSTED)
        async with machine(world, servers, "other"):
            await servers.fail_over()
            assert world.post(called).status == PostStatus.SCHEDULED
            await world.until_done()
    assert calls_of(world) == {"called": 1, "due": 1}
    assert {world.post(one).status for one in (called, due)} == {PostStatus.POSTED}
    assert [one.outcome for one in world.attempts(called)] == ["published"]


@pytest.mark.parametrize("is_early", [False, True])
async def test_a_call_in_progress_during_a_failover_counts(
    world: World, servers: Servers, *, is_early: bool
) -> None:
    platform = platform_of(world)
    platform.answer.clear()
    called, due = world.add("called"), world.add("due", due_in=_OUTAGE)
    await servers.let_standby_lag()
    async with machine(world, servers, "one"):
        await world.until(lambda: bool(platform.ledger))
        async with machine(world, servers, "other"):
            await servers.fail_over()
            if is_early:
                platform.answer.set()
            # By then, the new server knows of the call, or another process has made it again.
            await world.until(lambda: bool(world.attempts(called)))
            assert world.post(called).claimed_by is not None
            platform.answer.set()
            await world.until_done()
    assert calls_of(world) == {"called": 1, "due": 1}
    assert platform.look_count == 0
    assert {world.post(one).status for one in (called, due)} == {PostStatus.POSTED}
    assert [one.outcome for one in world.attempts(called)] == ["published"]


async def test_a_planned_failover_only_causes_a_pause(world: World, servers: Servers) -> None:
    called = world.add("called")
    async with machine(world, servers, "one"), machine(world, servers, "other"):
        await world.until(lambda: world.post(called).status == PostStatus.POSTED)
        with world.time.standing():
            due = world.add("due", due_in=_OUTAGE)
            await asyncio.to_thread(servers.primary.stop)
            stopped = world.time.now()
        await asyncio.to_thread(servers.standby.promote)
        await world.until_done()
    assert calls_of(world) == {"called": 1, "due": 1}
    assert platform_of(world).look_count == 0
    assert [one.outcome for one in world.attempts(due)] == ["published"]
    assert platform_of(world).accepted_at[-1] > stopped + _HASTY.failover_pause
    for name in ("one", "other"):
        folder = DataFolder(world.folder / name)
        assert look_into_past(folder, world.database, world.time.now(), alone=False).restored_at is None
