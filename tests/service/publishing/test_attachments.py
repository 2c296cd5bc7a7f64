"""Posts with files: the file is brought there first, whole, and a restart goes on where it was."""

import asyncio
import hashlib
from datetime import timedelta

from sqlalchemy import func, select

from app.contract.enums import PostStatus
from app.platforms.base import FailureKind, PlatformError, Publication
from app.service.store.tables import media, publication_steps
from tests.service.media.samples import SAMPLES
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FakePlatform, listing
from tests.service.publishing.world import World

PICTURE = bytes(range(256)) * 9000  # more than one chunk


async def _read(publication: Publication, offset: int) -> bytes:
    assert publication.media is not None
    async with publication.media.open(offset) as chunks:
        return b"".join([chunk async for chunk in chunks])


def test_the_file_is_brought_there_whole_before_the_post_is_published(play: Played) -> None:
    platform = listing()

    async def scene(world: World) -> None:
        async def preparing(publication: Publication) -> None:
            assert platform.calls == 0
            assert await _read(publication, 0) == PICTURE
            assert await _read(publication, 2_000_000) == PICTURE[2_000_000:]
            assert publication.media is not None
            assert publication.media.sha256 == hashlib.sha256(PICTURE).hexdigest()
            assert publication.media.size == len(PICTURE)

        platform.preparing = preparing
        post_id = world.add(picture=PICTURE)
        await world.live_through()
        assert world.post(post_id).status == PostStatus.POSTED
        assert len(platform.ledger) == 1

    play(scene, platform)


def test_a_moment_of_a_video_comes_as_a_picture(play: Played) -> None:
    platform, given = listing(), list[bytes | None]()

    async def scene(world: World) -> None:
        async def preparing(publication: Publication) -> None:
            assert publication.media is not None
            given.append(await publication.media.picture_at(200))

        platform.preparing = preparing
        for file in (SAMPLES["video/mp4"](), PICTURE):
            world.add(picture=file)
            await world.live_through()
        first, second = given
        assert first is not None
        assert first.startswith(b"\xff\xd8\xff")
        assert second is None

    play(scene, platform)


def test_a_restart_goes_on_where_the_upload_was(play: Played) -> None:
    platform, seen = listing(), list[str | None]()

    async def scene(world: World) -> None:
        async def preparing(publication: Publication) -> None:
            seen.append(await publication.steps.get("sent"))
            if seen == [None]:
                await publication.steps.put("sent", "1")
                await publication.steps.put("sent", "https://upload.example/session?token=NEEDLE")
                world.database.killed.set()
                await asyncio.Event().wait()

        platform.preparing = preparing
        post_id = world.add(picture=PICTURE)
        await world.live_through()
        assert world.post(post_id).status == PostStatus.POSTED
        assert seen == [None, "https://upload.example/session?token=NEEDLE"]
        stored = b"".join(file.read_bytes() for file in world.folder.glob("service.db*"))
        assert b"NEEDLE" not in stored
        await _until_forgotten(world)

    play(scene, platform)


async def _until_forgotten(world: World) -> None:
    """What was remembered of a post that has ended goes with the next engine at the latest."""
    world.start()
    count = select(func.count()).select_from(publication_steps)
    while world.database.read_now(lambda rows: rows.scalar(count)):
        await world.time.sleep(timedelta(seconds=1))


def test_what_does_not_arrive_is_tried_again_and_every_try_is_on_record(play: Played) -> None:
    platform = listing()

    async def scene(world: World) -> None:
        tries = 0

        async def preparing(_publication: Publication) -> None:
            nonlocal tries
            tries += 1
            if tries == 1:
                raise PlatformError(FailureKind.TRANSIENT, "503", "still working on it")

        platform.preparing = preparing
        post_id = world.add(picture=PICTURE)
        await world.live_through()
        steps = [(attempt.step, attempt.outcome) for attempt in world.attempts(post_id)]
        assert steps == [("prepare", "transient"), ("publish", "published")]

    play(scene, platform)


def test_a_file_that_the_platform_refuses_fails_the_post_without_a_call(play: Played) -> None:
    platform = listing()

    async def scene(world: World) -> None:
        async def preparing(_publication: Publication) -> None:
            raise PlatformError(FailureKind.INVALID, "too_small", "The picture is too small.")

        platform.preparing = preparing
        post_id = world.add(picture=PICTURE)
        await world.live_through()
        assert world.post(post_id).status == PostStatus.FAILED
        assert platform.calls == 0
        assert world.attempts(post_id)[0].platform_message == "The picture is too small."

    play(scene, platform)


def test_a_file_that_is_gone_is_told_to_the_adapter(play: Played) -> None:
    platform: FakePlatform = listing()
    files = list[object]()

    async def scene(world: World) -> None:
        async def preparing(publication: Publication) -> None:
            files.append(publication.media)

        platform.preparing = preparing
        world.add(picture=PICTURE)
        world.database.write_now(lambda rows: rows.execute(media.delete()))
        await world.live_through()
        assert files == [None]

    play(scene, platform)
