"""Posts that the user publishes by hand: asked at their time, finished by them, failed after the limit."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest

from app.contract.enums import ConnectionPlatform, PostStatus
from app.contract.posts import Post
from app.service.api.responses import ApiError
from app.service.posts.changing import cancel, reschedule
from app.service.publishing import endings
from app.service.store.reach import Reach
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FakePlatform
from tests.service.publishing.world import SETTINGS, World
from tests.stores import ON_BOTH

pytestmark = ON_BOTH

LIMIT = timedelta(seconds=20)
LIMITED = SETTINGS.model_copy(update={"hand_over_limit": LIMIT})
SOON = timedelta(seconds=2)
NEVER_CALLED = FakePlatform(ConnectionPlatform("x-by-hand"))


@pytest.fixture(autouse=True)
def nothing_is_sent() -> Iterator[None]:
    """The platform is never called, whatever happens."""
    yield
    assert NEVER_CALLED.ledger == []


def status(world: World, post_id: UUID) -> str:
    return str(world.post(post_id).status)


def finish(world: World, post_id: UUID, url: str | None = None) -> Post:
    now = world.time.now()
    return world.database.write_now(lambda rows: endings.finish(rows, world.account_id, post_id, url, now))


def take_back(world: World, post_id: UUID) -> Post:
    now = world.time.now()
    return world.database.write_now(lambda rows: endings.take_back(rows, world.account_id, post_id, now))


async def handed_over(world: World, post_id: UUID) -> None:
    await world.until(lambda: status(world, post_id) == PostStatus.PROCESSING)


def outcomes(world: World, post_id: UUID) -> list[tuple[str, str]]:
    return [(one.step, one.outcome) for one in world.attempts(post_id)]


def test_the_user_is_asked_at_the_time_of_the_post_and_finishes_it(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=SOON)
        world.start()
        await handed_over(world, post_id)
        [asked] = world.attempts(post_id)
        assert asked.started_at >= world.post(post_id).scheduled_at
        assert (asked.step, asked.outcome) == ("hand_over", "handed_over")
        assert asked.finished_at is not None
        assert world.contents() == []

        done = finish(world, post_id, "https://x.com/mira/status/1")
        assert (done.status, done.posted_at) == (PostStatus.POSTED, world.post(post_id).posted_at)
        [content] = world.contents()
        assert (content.url, content.post_id) == ("https://x.com/mira/status/1", post_id)
        assert content.next_sample_at is None
        assert outcomes(world, post_id) == [("hand_over", "published")]

    play(scene, NEVER_CALLED)


def test_a_post_that_nobody_finishes_fails_after_the_limit(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=SOON)
        world.start(LIMITED)
        await world.until_done()
        post, [asked, ended] = world.post(post_id), world.attempts(post_id)
        assert post.status == PostStatus.FAILED
        assert ended.started_at >= post.scheduled_at + LIMIT
        assert (asked.outcome, ended.outcome) == ("handed_over", "refused")
        assert "mark it as done" in ended.advice

        assert finish(world, post_id).status is PostStatus.POSTED  # it was there all along
        assert len(world.contents()) == 1
        kept, refused, reported = world.attempts(post_id)
        assert (kept, refused) == (asked, ended), "what happened before isn't rewritten"
        assert reported.outcome == "published"

    play(scene, NEVER_CALLED)


def test_the_wait_survives_the_end_of_the_program(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=SOON)
        world.start()
        await handed_over(world, post_id)
        for _ in range(2):
            await world.crash()
            world.start()
            await world.time.sleep(timedelta(seconds=3))
        assert outcomes(world, post_id) == [("hand_over", "handed_over")]
        assert status(world, post_id) == PostStatus.PROCESSING

    play(scene, NEVER_CALLED)


@pytest.mark.parametrize(("late", "expected"), [(LIMIT / 2, "handed_over"), (2 * LIMIT, "refused")])
def test_a_post_is_handed_over_late_if_the_computer_was_off(
    play: Played, late: timedelta, expected: str
) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=-late)
        world.start(LIMITED)
        await world.until(lambda: bool(world.attempts(post_id)) and world.post(post_id).claimed_by is None)
        assert outcomes(world, post_id) == [("hand_over", expected)]

    play(scene, NEVER_CALLED)


def test_the_user_may_ask_for_more_time(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=SOON)
        world.start(LIMITED)
        await handed_over(world, post_id)
        later = world.time.now() + timedelta(seconds=10)
        world.database.write_now(
            lambda rows: reschedule(rows, world.account_id, post_id, later, Reach.COMPANION)
        )
        assert status(world, post_id) == PostStatus.SCHEDULED
        await handed_over(world, post_id)
        first, second = world.attempts(post_id)
        assert first.started_at < later <= second.started_at
        finish(world, post_id)
        assert outcomes(world, post_id) == [("hand_over", "handed_over"), ("hand_over", "published")]

    play(scene, NEVER_CALLED)


def test_a_skipped_post_is_not_asked_for_again(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=SOON)
        world.start(LIMITED)
        await handed_over(world, post_id)
        world.database.write_now(lambda rows: cancel(rows, world.account_id, post_id, Reach.COMPANION))
        await world.time.sleep(2 * LIMIT)
        assert status(world, post_id) == PostStatus.CANCELLED
        assert outcomes(world, post_id) == [("hand_over", "handed_over")]
        with pytest.raises(ApiError, match="cancelled"):
            finish(world, post_id)

    play(scene, NEVER_CALLED)


def test_a_post_cancelled_or_moved_while_it_is_claimed_is_not_handed_over(play: Played) -> None:
    async def scene(world: World) -> None:
        cancelled, moved = (world.add("Wool", due_in=5 * SOON) for _ in range(2))
        world.start(SETTINGS.model_copy(update={"claim_ahead": 5 * SOON}))
        await world.until(lambda: all(world.post(one).claimed_by for one in (cancelled, moved)))
        later = world.time.now() + timedelta(days=1)
        world.database.write_now(lambda rows: cancel(rows, world.account_id, cancelled, Reach.COMPANION))
        world.database.write_now(
            lambda rows: reschedule(rows, world.account_id, moved, later, Reach.COMPANION)
        )
        await world.time.sleep(10 * SOON)
        assert [world.attempts(one) for one in (cancelled, moved)] == [[], []]
        assert status(world, moved) == PostStatus.SCHEDULED

    play(scene, NEVER_CALLED)


@pytest.mark.parametrize("due_in", [SOON, timedelta(days=1)])
def test_a_report_is_taken_back(play: Played, due_in: timedelta) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=due_in)
        world.start(LIMITED)
        if due_in == SOON:
            await handed_over(world, post_id)
        before = world.post(post_id).status
        finish(world, post_id)
        assert (take_back(world, post_id).status, world.contents()) == (before, [])
        if due_in == SOON:
            await world.until_done()
            assert status(world, post_id) == PostStatus.FAILED
        finish(world, post_id, "https://x.com/mira/status/2")
        assert [one.url for one in world.contents()] == ["https://x.com/mira/status/2"]

    play(scene, NEVER_CALLED)


def test_a_report_is_only_taken_back_shortly_after(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=timedelta(days=1))
        finish(world, post_id)
        with pytest.raises(ApiError, match="published already"):
            finish(world, post_id)
        await world.time.sleep(endings.UNDONE_WITHIN)
        with pytest.raises(ApiError, match="last ten minutes"):
            take_back(world, post_id)
        assert len(world.contents()) == 1

    play(scene, NEVER_CALLED)


def test_posts_that_kalends_publishes_are_not_finished_by_hand(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Wool", due_in=SOON)
        for work in (finish, take_back):
            with pytest.raises(ApiError, match="post"):
                work(world, post_id)
        assert status(world, post_id) == PostStatus.SCHEDULED

    play(scene, FakePlatform(ConnectionPlatform("bluesky")))
