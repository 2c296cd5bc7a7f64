"""What is remembered of a post, and for how long."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.store.tables import posts, publication_steps
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
