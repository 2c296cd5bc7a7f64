"""Posts go out at their time, once, whoever else is due, moved or stopped."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.store.tables import posts
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import BOTH, FakePlatform, listing
from tests.service.publishing.world import SETTINGS, World
from tests.stores import ON_BOTH

pytestmark = ON_BOTH


@BOTH
def test_a_due_post_goes_out_once_at_its_time(play: Played, platform: Callable[[], FakePlatform]) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Good morning", due_in=timedelta(seconds=2))
        later = world.add("Next week", due_in=timedelta(days=7))
        world.start()
        await world.until(lambda: world.post(post_id).status == PostStatus.POSTED)

        post = world.post(post_id)
        assert post.posted_at >= post.scheduled_at
        assert post.claimed_by is None
        assert [attempt.outcome for attempt in world.attempts(post_id)] == ["published"]
        (content,) = world.contents()
        assert (content.content_id, content.url, content.post_id, content.description) == (
            "item-0",
            "https://social.example/item-0",
            post_id,
            "Good morning",
        )
        assert world.post(later).status == PostStatus.SCHEDULED
        assert next(iter(world.platforms.values())).ledger == [("person-0", "Good morning")]

    play(scene, platform())


def test_a_post_for_now_goes_out_when_the_engine_is_told(play: Played) -> None:
    async def scene(world: World) -> None:
        engine = world.start()
        await world.time.sleep(timedelta(seconds=1))
        post_id = world.add(status=PostStatus.QUEUED)
        engine.notify()
        await world.until(lambda: world.post(post_id).status == PostStatus.POSTED)

    play(scene, listing())


def test_a_hundred_posts_of_the_same_minute_all_go_out(play: Played) -> None:
    async def scene(world: World) -> None:
        for number in range(100):
            world.add(f"Post {number}", due_in=timedelta(seconds=1), connection=number % 4)
        world.start()
        await world.until_done()

        platform = world.platforms[ConnectionPlatform.X]
        assert sorted(text for _, text in platform.ledger) == sorted(f"Post {n}" for n in range(100))
        assert platform.most_at_once <= 4 * SETTINGS.calls_per_connection

    play(scene, listing(), connections_each=4)


def test_posts_that_begin_together_are_sent_each_at_its_time(play: Played) -> None:
    async def scene(world: World) -> None:
        first = timedelta(seconds=5)
        due = {
            f"Post {number}": world.time.now() + first + number * timedelta(milliseconds=10)
            for number in range(50)
        }
        for text, at in due.items():
            world.add(text, due_in=at - world.time.now())
        world.start()
        await world.until_done()

        platform = world.platforms[ConnectionPlatform.X]
        accepted = {text: at for (_, text), at in zip(platform.ledger, platform.accepted_at, strict=True)}
        assert all(accepted[text] >= at - timedelta(milliseconds=1) for text, at in due.items())
        assert len(accepted) == len(due)

    play(scene, listing())


def test_late_posts_do_not_wait_until_the_outcomes_of_others_are_written(play: Played) -> None:
    """Outcomes are written together, 100 ms after a call or later."""

    async def scene(world: World) -> None:
        for number in range(20):
            world.add(f"Post {number}", due_in=-timedelta(minutes=5), connection=number % 4)
        world.start(SETTINGS.model_copy(update={"late_in_flight": 2}))
        await world.until_done()

        accepted = sorted(world.platforms[ConnectionPlatform.X].accepted_at)
        assert accepted[-1] - accepted[0] < 9 * timedelta(milliseconds=100)

    play(scene, listing(), connections_each=4)


def test_two_engines_on_one_database_share_the_work(play: Played) -> None:
    async def scene(world: World) -> None:
        for number in range(60):
            world.add(f"Post {number}", due_in=timedelta(seconds=1))
        world.start(exclusive=False)
        world.start(exclusive=False)
        await world.until_done()

        assert len(world.platforms[ConnectionPlatform.X].ledger) == 60

    play(scene, listing())


def test_posts_missed_long_ago_fail_and_younger_ones_go_out(play: Played) -> None:
    async def scene(world: World) -> None:
        old = world.add("Old", due_in=-SETTINGS.grace - timedelta(minutes=1))
        young = world.add("Young", due_in=-SETTINGS.grace + timedelta(minutes=10))
        world.start()
        await world.until_done()

        assert world.post(old).status == PostStatus.FAILED
        assert world.attempts(old)[0].advice.startswith("The computer was off when the post was due")
        assert world.post(young).status == PostStatus.POSTED

    play(scene, listing())


def test_a_post_that_moves_after_it_was_claimed_goes_out_at_the_new_time_only(play: Played) -> None:
    async def scene(world: World) -> None:
        settings = SETTINGS.model_copy(update={"claim_ahead": timedelta(seconds=60)})
        post_id = world.add(due_in=timedelta(seconds=40))
        with world.time.standing():
            engine = world.start(settings)
            await world.until(lambda: world.post(post_id).claimed_by is not None)
            assert world.post(post_id).status == PostStatus.SCHEDULED

            at = world.time.now() + timedelta(seconds=50)
            moved = update(posts).values(scheduled_at=at, claimed_by=None, claimed_until=None)
            world.database.write_now(lambda rows: rows.execute(moved))
        engine.notify()
        await world.until_done()

        assert world.post(post_id).posted_at >= at
        assert len(world.platforms[ConnectionPlatform.X].ledger) == 1

    play(scene, listing())


def test_stopping_lets_the_call_under_way_finish_and_takes_no_more(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        first = world.add("First")
        engine = world.start()

        async def slow() -> None:
            await world.time.sleep(timedelta(seconds=5))

        there.during = slow
        await world.until(lambda: there.calls == 1)
        second = world.add("Second")
        await engine.stop()

        assert world.post(first).status == PostStatus.POSTED
        assert world.post(second).status == PostStatus.SCHEDULED
        assert world.post(second).claimed_by is None

    play(scene, listing())


def test_a_call_that_stopping_cuts_off_still_has_its_claim_when_it_ends(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        post_id = world.add()
        claimed_at_end: list[bool] = []

        async def endless() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                claimed_at_end.append(world.post(post_id).claimed_by is not None)

        there.during = endless
        engine = world.start(SETTINGS.model_copy(update={"stop_grace": timedelta(milliseconds=20)}))
        await world.until(lambda: there.calls == 1)
        await engine.stop()

        assert claimed_at_end == [True]
        assert world.post(post_id).claimed_by is None

    play(scene, listing())
