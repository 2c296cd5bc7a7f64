"""What is remembered of a post, and for how long."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import delete, func, insert, select, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.publishing.attachments import Attachments
from app.service.seal_key import reset_key
from app.service.store.folder import DataFolder
from app.service.store.seal import open_seal
from app.service.store.tables import connections, posts, publication_steps
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import Fate, UploadingPlatform
from tests.service.publishing.world import SETTINGS, World


@pytest.mark.parametrize("fate", [Fate.LOST_AFTER, Fate.KILLED_AFTER])
def test_a_file_is_asked_for_after_its_post_was_cancelled_in_flight(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.TIKTOK]
        post_id = world.add(picture=b"picture")

        async def cancel() -> None:
            work = update(posts).values(status="cancelled")
            await world.database.write(lambda rows: rows.execute(work))

        there.during = cancel
        there.fates = [fate]
        # What is remembered is tidied up before the platform is asked.
        times = {"lease": timedelta(seconds=30), "settle_delay": timedelta(seconds=20)}
        settings = SETTINGS.model_copy(update=times)
        await world.live_through(settings)

        assert len(there.ledger) == 1
        assert world.post(post_id).status == PostStatus.POSTED

        remembered = select(func.count()).select_from(publication_steps)
        await world.until(lambda: world.database.read_now(lambda rows: rows.scalar(remembered)) == 0)

    play(scene, UploadingPlatform(ConnectionPlatform.TIKTOK))


def _lose_key(world: World) -> None:
    folder = DataFolder(world.folder)
    reset_key(folder, world.database, world.time.now())
    world.attachments = Attachments(world.database, world.files, open_seal(folder))


def _lose_rows(world: World) -> None:
    world.database.write_now(lambda rows: rows.execute(delete(publication_steps)))


def _lose_nothing(world: World) -> None:
    del world


@pytest.mark.parametrize(
    ("fate", "lose", "status"),
    [
        (Fate.LOST_AFTER, _lose_key, PostStatus.FAILED),
        (Fate.LOST_AFTER, _lose_rows, PostStatus.FAILED),
        (Fate.LOST_AFTER, _lose_nothing, PostStatus.POSTED),
        (Fate.LOST_BEFORE, _lose_nothing, PostStatus.POSTED),
    ],
)
def test_a_call_whose_steps_are_lost_is_not_repeated(
    play: Played, fate: Fate, lose: Callable[[World], None], status: PostStatus
) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.TIKTOK]
        post_id = world.add(picture=b"picture")
        there.fates = [fate]
        world.start()
        await world.until(lambda: [one.outcome for one in world.attempts(post_id)] == ["unknown"])
        await world.crash()
        lose(world)
        reconnected = update(connections).values(is_available=True)
        world.database.write_now(lambda rows: rows.execute(reconnected))
        await world.live_through()
        assert len(there.ledger) == 1
        assert world.post(post_id).status == status

    play(scene, UploadingPlatform(ConnectionPlatform.TIKTOK))


def test_a_post_whose_upload_is_lost_is_uploaded_again(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.TIKTOK]
        post_id = world.add(picture=b"picture", due_in=timedelta(minutes=1))
        step = {"post_id": post_id, "name": "upload", "value": b"written with another key"}
        world.database.write_now(lambda rows: rows.execute(insert(publication_steps).values(step)))
        await world.live_through()
        assert len(there.ledger) == 1
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, UploadingPlatform(ConnectionPlatform.TIKTOK))
