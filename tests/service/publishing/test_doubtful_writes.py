"""Writes whose answers are lost: the posts go on as soon as the database is back."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from app.contract.enums import ConnectionPlatform, PostStatus
from app.database import DiskFullError
from app.platforms.base import Publication, Published
from app.service.publishing import attempts
from app.service.store.tables import preparations, publication_steps
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import BOTH, FakePlatform, UploadingPlatform, listing
from tests.service.publishing.world import SETTINGS, World

SLOW = SETTINGS.model_copy(update={"lease": timedelta(hours=3), "settle_delay": timedelta(hours=3)})
"""Longer than the tests have, so that nothing waits for a claim to expire or for a look."""


@BOTH
@pytest.mark.logs_error("a post could not be processed")
def test_an_attempt_that_called_nobody_is_no_lost_call(
    play: Played, platform: Callable[[], FakePlatform]
) -> None:
    async def scene(world: World) -> None:
        post_id = world.add()
        world.database.loses = lambda: bool(world.attempts(post_id))
        await world.live_through(SLOW, exclusive=False)

        (there,) = world.platforms.values()
        assert len(there.ledger) == 1
        assert there.look_count == 0
        assert world.post(post_id).status == PostStatus.POSTED
        assert [one.outcome for one in world.attempts(post_id)] == ["transient", "published"]

    play(scene, platform())


@pytest.mark.logs_error("the posts could not be read")
def test_posts_whose_claim_was_not_answered_are_claimed_again(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add()
        world.database.loses = lambda: world.post(post_id).claimed_by is not None
        await world.live_through(SLOW, exclusive=False)
        assert [one.outcome for one in world.attempts(post_id)] == ["published"]

    play(scene, listing())


@pytest.mark.logs_error("a post could not be processed")
def test_a_post_that_failed_with_the_database_is_claimed_again(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add(picture=b"picture")
        held = select(preparations.c.held_by.is_not(None))
        world.database.loses = lambda: bool(world.database.read_now(lambda rows: rows.scalar(held)))
        await world.live_through(SLOW, exclusive=False)
        assert [one.outcome for one in world.attempts(post_id)] == ["published"]

    play(scene, UploadingPlatform(ConnectionPlatform.TIKTOK))


@pytest.mark.logs_error("a post could not be processed")
def test_attempts_that_cannot_be_stored_follow_each_other_slowly(
    play: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, moments = attempts.begin, list[datetime]()

    async def scene(world: World) -> None:
        def full(*args: Any, **kwargs: Any) -> set[UUID]:
            moments.append(world.time.now())
            if len(moments) > 5:
                return begin(*args, **kwargs)
            raise DiskFullError("The disk is full.")

        monkeypatch.setattr(attempts, "begin", full)
        post_id = world.add()
        await world.live_through(SLOW)
        assert world.post(post_id).status == PostStatus.POSTED
        assert min(after - before for before, after in pairwise(moments)) >= timedelta(seconds=1)

    play(scene, listing())


class AnsweringPlatform(FakePlatform):
    """Like TikTok with photos: only the answer to its call says what became of it."""

    async def publish(self, publication: Publication) -> Published:
        item = await super().publish(publication)
        await publication.steps.put("answer", item.content_id)
        return item


@pytest.mark.logs_error("a step could not be stored")
def test_an_answer_is_kept_until_it_can_be_stored(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add()
        stored = select(publication_steps.c.value).where(publication_steps.c.name == "answer")
        world.database.loses = lambda: bool(world.database.read_now(lambda rows: rows.scalar(stored)))
        await world.live_through(SLOW)
        assert [one.outcome for one in world.attempts(post_id)] == ["published"]

    play(scene, AnsweringPlatform(ConnectionPlatform.TIKTOK, looks=False))
