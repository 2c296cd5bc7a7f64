"""Posts of an account that moves while they're due: each is published once, whichever side runs."""

import asyncio
import random
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.accounts.accounts import Plan
from app.service.problems import CommandProblem
from app.service.store.seal import KEY_BYTES, Seal
from app.service.store.tables import connections, posts
from app.service.transfer.checking import Rooms
from app.service.transfer.exporting import Source, export_account
from app.service.transfer.importing import Target, import_account
from app.service.transfer.manifest import ExportFolder
from tests.service.publishing import own_time
from tests.service.publishing.fakes import Fate, UploadingPlatform, listing
from tests.service.publishing.world import World
from tests.service.transfer.household import PASSPHRASE

X = ConnectionPlatform.X
FATES = (Fate.ACCEPTED, Fate.ACCEPTED, Fate.LOST_AFTER, Fate.LOST_BEFORE, Fate.BUSY)
COUNT = 40


async def _leave(world: World, folder: Path, passphrase: str | None = None) -> int:
    """Exports the account, again while a post is under way; returns how often it had to."""
    source = Source(world.folder, world.database, world.files, Seal(bytes(KEY_BYTES)), world.time.now)
    for again in range(1_000):
        try:
            export = ExportFolder(folder)
            await asyncio.to_thread(export_account, source, world.account_id, export, passphrase, 0)
        except CommandProblem as problem:
            assert "still being published" in str(problem)  # noqa: PT017
            await world.time.sleep(timedelta(milliseconds=200))
        else:
            return again
    raise AssertionError("it never became quiet")


async def _come(world: World, folder: Path, passphrase: str | None = None) -> None:
    target = Target(world.database, world.files, Seal(bytes(KEY_BYTES)), world.time.now)
    await asyncio.to_thread(import_account, target, ExportFolder(folder), passphrase, Rooms(Plan.LOCAL))
    connected = update(connections).values(is_available=True)  # again, if tokens weren't exported
    world.database.write_now(lambda rows: rows.execute(connected))


async def _move(tmp_path: Path, seed: int) -> None:
    chance, platform = random.Random(seed), listing()  # noqa: S311
    world = World(tmp_path / "here", [platform], store="sqlite")
    there = World(tmp_path / "there", [platform], store="postgresql")
    there.time = platform.time = world.time
    platform.fates = chance.choices(FATES, k=COUNT)
    texts = [f"Post {number}" for number in range(COUNT)]
    for text in texts:
        world.add(text, due_in=timedelta(seconds=chance.uniform(0, 60)))
    try:
        world.start()
        there.start()
        await world.time.sleep(timedelta(seconds=chance.uniform(5, 40)))
        await _leave(world, tmp_path / "export")
        published = len(platform.ledger)
        await world.time.sleep(timedelta(seconds=5))
        assert len(platform.ledger) == published  # neither side publishes in between
        assert 0 < published < COUNT
        await _come(there, tmp_path / "export")
        await world.time.sleep(timedelta(minutes=3))
        assert sorted(text for _, text in platform.ledger) == sorted(texts)
        own = select(posts.c.status).where(posts.c.account_id == world.account_id)
        assert set(there.database.read_now(lambda rows: rows.scalars(own).all())) == {"posted"}
    finally:
        await world.close()
        await there.close()


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.variation)])
def test_each_post_is_published_once(tmp_path: Path, seed: int) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    own_time.run(_move(tmp_path, seed))


@pytest.mark.parametrize(
    ("fate", "passphrase", "status"),
    [
        (Fate.LOST_AFTER, PASSPHRASE, PostStatus.POSTED),
        (Fate.LOST_BEFORE, PASSPHRASE, PostStatus.POSTED),
        (Fate.LOST_AFTER, None, PostStatus.FAILED),  # it may be live
    ],
)
def test_a_lost_call_is_not_repeated_without_its_steps(
    tmp_path: Path, fate: Fate, passphrase: str | None, status: PostStatus
) -> None:
    async def story() -> None:
        platform = UploadingPlatform(ConnectionPlatform.TIKTOK)
        here, there = (World(tmp_path / name, [platform], store="sqlite") for name in ("here", "there"))
        there.time = platform.time = here.time
        platform.fates = [fate]
        post = here.add(picture=b"picture")
        try:
            here.start()
            await here.until(lambda: [one.outcome for one in here.attempts(post)] == ["unknown"])
            await here.crash()
            await _leave(here, tmp_path / "export", passphrase)
            await _come(there, tmp_path / "export", passphrase)
            there.start()
            await there.until(lambda: there.post(post).status in {"posted", "failed"})
            assert platform.ledger == [("person-0", "Hello")]
            assert there.post(post).status == status
        finally:
            await here.close()
            await there.close()

    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    own_time.run(story())
