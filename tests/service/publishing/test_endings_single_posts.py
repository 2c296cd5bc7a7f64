"""Single posts of a connected account that the user publishes by hand, at any moment before their time."""

from datetime import timedelta
from uuid import UUID

import pytest

from app.contract.companion import AnyPost
from app.contract.enums import ConnectionPlatform, PostStatus
from app.contract.posts import Post
from app.service.api.responses import ApiError
from app.service.posts.by_hand import set_by_hand
from app.service.posts.changing import cancel, reschedule
from app.service.publishing import endings
from app.service.store.reach import Reach
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FakePlatform
from tests.service.publishing.world import World
from tests.stores import ON_BOTH

pytestmark = ON_BOTH

SOON = timedelta(seconds=2)
LATER = timedelta(hours=1)


def switch(world: World, post_id: UUID, *, by_hand: bool = True) -> Post:
    return world.database.write_now(
        lambda rows: set_by_hand(rows, world.account_id, post_id, by_hand=by_hand)
    )


def finish(world: World, post_id: UUID) -> Post:
    now, owner = world.time.now(), world.account_id
    return world.database.write_now(lambda rows: endings.finish(rows, owner, post_id, None, now, Reach.ALL))


def move(world: World, post_id: UUID, reach: Reach) -> Post:
    at = world.time.now() + LATER
    return world.database.write_now(lambda rows: reschedule(rows, world.account_id, post_id, at, reach))


async def handed_over(world: World, post_id: UUID) -> None:
    await world.until(lambda: world.post(post_id).status == PostStatus.PROCESSING)


def test_it_waits_for_the_user_and_is_finished(play: Played) -> None:
    platform = FakePlatform(ConnectionPlatform.X)

    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=SOON)
        changed = switch(world, post_id)
        assert isinstance(changed, AnyPost)
        assert changed.by_hand
        world.start()
        await handed_over(world, post_id)
        assert [(one.step, one.outcome) for one in world.attempts(post_id)] == [("hand_over", "handed_over")]
        assert finish(world, post_id).status is PostStatus.POSTED
        [content] = world.contents()
        assert content.next_sample_at is None
        now, owner = world.time.now(), world.account_id
        back = world.database.write_now(lambda rows: endings.take_back(rows, owner, post_id, now, Reach.ALL))
        assert back.status is PostStatus.PROCESSING
        assert platform.ledger == []

    play(scene, platform)


def test_switched_back_it_is_published_by_kalends(play: Played) -> None:
    platform = FakePlatform(ConnectionPlatform.X)

    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=SOON)
        switch(world, post_id)
        switch(world, post_id, by_hand=False)
        world.start()
        await world.until(lambda: world.post(post_id).status == PostStatus.POSTED)
        assert len(platform.ledger) == 1
        with pytest.raises(ApiError):
            switch(world, post_id)

    play(scene, platform)


def test_a_post_that_a_worker_has_already_claimed_is_not_sent(play: Played) -> None:
    platform = FakePlatform(ConnectionPlatform.X)

    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=timedelta(milliseconds=900))
        world.start()
        await world.until(lambda: world.post(post_id).claimed_by is not None)
        switch(world, post_id)
        await handed_over(world, post_id)
        assert platform.ledger == []

    play(scene, platform)


def test_v1_cannot_move_it_while_it_waits(play: Played) -> None:
    platform = FakePlatform(ConnectionPlatform.X)

    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=SOON)
        switch(world, post_id)
        world.start()
        await handed_over(world, post_id)
        with pytest.raises(ApiError, match="being published now"):
            move(world, post_id, Reach.SPECIFIED)
        with pytest.raises(ApiError):
            switch(world, post_id, by_hand=False)
        moved = move(world, post_id, Reach.ALL)
        assert moved.status is PostStatus.SCHEDULED
        world.database.write_now(lambda rows: cancel(rows, world.account_id, post_id))
        assert world.post(post_id).status == PostStatus.CANCELLED
        assert platform.ledger == []

    play(scene, platform)


def test_only_platforms_with_a_composer_offer_it(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=LATER)
        with pytest.raises(ApiError, match="by_hand"):
            switch(world, post_id)

    play(scene, FakePlatform(ConnectionPlatform("bluesky")))


def test_nobody_finishes_a_post_that_kalends_publishes(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=LATER)
        with pytest.raises(ApiError, match="Kalends publishes this post"):
            finish(world, post_id)

    play(scene, FakePlatform(ConnectionPlatform.X))
