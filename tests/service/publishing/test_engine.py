"""Posts go out at their time, and every outcome ends where the design says."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import delete, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.platforms.base import FailureKind, PlatformError
from app.service.store.tables import posts
from tests.service.publishing.world import SETTINGS, FakePlatform, Fate, World, listing, refusing

Played = Callable[..., None]
BOTH = pytest.mark.parametrize("platform", [listing, refusing])


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
        assert (content.content_id, content.post_id, content.description) == (
            "item-0",
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


def test_two_engines_on_one_database_share_the_work(play: Played) -> None:
    async def scene(world: World) -> None:
        for number in range(60):
            world.add(f"Post {number}", due_in=timedelta(seconds=1))
        world.start(exclusive=False)
        world.start(exclusive=False)
        await world.until_done()

        assert len(world.platforms[ConnectionPlatform.X].ledger) == 60

    play(scene, listing())


@BOTH
def test_a_lost_answer_never_publishes_twice(play: Played, platform: Callable[[], FakePlatform]) -> None:
    async def scene(world: World) -> None:
        (there,) = world.platforms.values()
        there.fates = [Fate.LOST_AFTER]
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert there.ledger == [("person-0", "Hello")]
        first = world.attempts(post_id)[0]
        assert (first.outcome, first.content_id) == ("published", "item-0")
        assert world.post(post_id).posted_at == first.started_at

    play(scene, platform())


@BOTH
def test_a_lost_request_is_sent_again(play: Played, platform: Callable[[], FakePlatform]) -> None:
    async def scene(world: World) -> None:
        (there,) = world.platforms.values()
        there.fates = [Fate.LOST_BEFORE]
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert there.ledger == [("person-0", "Hello")]
        assert [attempt.outcome for attempt in world.attempts(post_id)] == ["transient", "published"]

    play(scene, platform())


def test_a_repeat_may_lose_its_answer_too(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.LINKEDIN]
        there.fates = [Fate.LOST_BEFORE, Fate.LOST_AFTER]
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert len(there.ledger) == 1
        assert [attempt.step for attempt in world.attempts(post_id)] == ["publish", "repeat", "repeat"]

    play(scene, refusing())


@pytest.mark.logs_error("a call went wrong in an unforeseen way")
def test_an_unforeseen_error_of_the_adapter_counts_as_a_lost_answer(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [Fate.GARBLED]
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert len(there.ledger) == 1

    play(scene, listing())


def test_a_look_that_shows_too_little_does_not_double_the_post(play: Played) -> None:
    """The listing lags, the repeat is refused without a name: the later look finds the first one."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [Fate.LOST_AFTER]
        there.hides = 3
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert len(there.ledger) == 1

    play(scene, listing())


@BOTH
def test_what_nobody_can_find_out_fails_and_says_that_it_may_be_live(
    play: Played, platform: Callable[[], FakePlatform]
) -> None:
    async def scene(world: World) -> None:
        (there,) = world.platforms.values()
        there.fates = [Fate.LOST_AFTER]
        there.look_failures = 1_000_000
        there.repeat_window = None
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.FAILED
        (attempt,) = world.attempts(post_id)
        assert attempt.outcome == "unknown"
        assert (attempt.platform_code, attempt.platform_message) == ("timeout", "no answer")
        assert "whether the post is live" in attempt.advice
        assert there.calls == 1

    play(scene, platform())


def test_no_repeat_begins_near_the_end_of_the_time_in_which_it_is_safe(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.LINKEDIN]
        there.fates = [Fate.LOST_AFTER]
        there.repeat_window = SETTINGS.repeat_margin
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.FAILED
        assert there.calls == 1

    play(scene, refusing())


def test_passing_trouble_is_retried(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [Fate.BUSY, Fate.SLOW_DOWN, Fate.BUSY]
        post_id = world.add()
        world.start()
        await world.until(lambda: len(world.attempts(post_id)) == 2)
        assert world.post(post_id).status == PostStatus.PROCESSING
        await world.until_done()

        rows = world.attempts(post_id)
        assert [row.outcome for row in rows] == ["transient", "transient", "transient", "published"]
        assert rows[2].started_at - rows[1].finished_at >= timedelta(seconds=3)
        assert len(there.ledger) == 1

    play(scene, listing())


def test_trouble_that_does_not_pass_fails_after_the_last_try(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [Fate.BUSY] * 1_000
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.FAILED
        assert len(world.attempts(post_id)) == SETTINGS.tries
        assert "however often" in world.attempts(post_id)[-1].advice
        assert there.ledger == []

    play(scene, listing())


def test_a_refusal_keeps_the_platforms_own_words(play: Played) -> None:
    async def scene(world: World) -> None:
        world.platforms[ConnectionPlatform.X].fates = [Fate.REFUSED]
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.FAILED
        (attempt,) = world.attempts(post_id)
        assert (attempt.outcome, attempt.platform_code) == ("refused", "400")
        assert attempt.platform_message == "text is not nice"
        assert attempt.advice.startswith("X refused the content.")

    play(scene, listing())


def test_a_copy_of_another_post_fails_and_names_it(play: Played) -> None:
    async def scene(world: World) -> None:
        first = world.add("Same words")
        world.start()
        await world.until_done()
        second = world.add("Same words")
        await world.until_done()

        assert world.post(first).status == PostStatus.POSTED
        assert world.post(second).status == PostStatus.FAILED
        assert "(item-0)" in world.attempts(second)[-1].advice

    play(scene, refusing())


def test_a_lost_request_does_not_adopt_the_item_of_another_post(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.LINKEDIN]
        first = world.add("Same words")
        world.start()
        await world.until_done()
        there.fates = [Fate.LOST_BEFORE]
        second = world.add("Same words")
        await world.until_done()

        assert world.post(first).status == PostStatus.POSTED
        assert world.post(second).status == PostStatus.FAILED
        assert len(world.contents()) == 1

    play(scene, refusing())


@pytest.mark.parametrize(
    ("renewed", "status", "published"),
    [
        ("fresh", PostStatus.POSTED, 1),
        ("dead", PostStatus.FAILED, 0),
        (PlatformError(FailureKind.AUTH_EXPIRED, "invalid_grant", "revoked"), PostStatus.FAILED, 0),
    ],
)
def test_a_refused_token_is_renewed_once(
    play: Played, renewed: str | PlatformError, status: PostStatus, published: int
) -> None:
    async def scene(world: World) -> None:
        world.tokens.current = "dead"
        world.tokens.next = renewed
        post_id = world.add()
        world.start()
        await world.until_done()

        there = world.platforms[ConnectionPlatform.X]
        assert world.post(post_id).status == status
        assert len(there.ledger) == published
        assert there.calls <= 2
        if status is PostStatus.FAILED:
            assert "Connect the account again" in world.attempts(post_id)[-1].advice

    play(scene, listing())


def test_a_token_that_cannot_be_had_just_now_is_asked_for_again(play: Played) -> None:
    async def scene(world: World) -> None:
        world.tokens.failures = [PlatformError(FailureKind.TRANSIENT, "503", "later")]
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        steps = [(row.step, row.outcome) for row in world.attempts(post_id)]
        assert steps == [("authorize", "transient"), ("publish", "published")]

    play(scene, listing())


def test_posts_missed_long_ago_fail_and_younger_ones_go_out(play: Played) -> None:
    async def scene(world: World) -> None:
        old = world.add("Old", due_in=-SETTINGS.grace - timedelta(minutes=1))
        young = world.add("Young", due_in=-SETTINGS.grace + timedelta(minutes=10))
        world.start()
        await world.until_done()

        assert world.post(old).status == PostStatus.FAILED
        assert world.attempts(old)[0].advice.startswith("The post was missed while this computer was off")
        assert world.post(young).status == PostStatus.POSTED

    play(scene, listing())


def test_a_post_that_moves_after_it_was_claimed_goes_out_at_the_new_time_only(play: Played) -> None:
    async def scene(world: World) -> None:
        settings = SETTINGS.model_copy(update={"claim_ahead": timedelta(seconds=10)})
        post_id = world.add(due_in=timedelta(seconds=5))
        engine = world.start(settings)
        await world.until(lambda: world.post(post_id).claimed_by is not None)
        assert world.post(post_id).status == PostStatus.SCHEDULED

        at = world.time.now() + timedelta(seconds=20)
        moved = update(posts).values(scheduled_at=at, claimed_by=None, claimed_until=None)
        world.database.write_now(lambda rows: rows.execute(moved))
        engine.notify()
        await world.until_done()

        assert world.post(post_id).posted_at >= at
        assert len(world.platforms[ConnectionPlatform.X].ledger) == 1

    play(scene, listing())


@pytest.mark.parametrize("statement", ["cancel", "delete"])
def test_a_post_that_is_deleted_after_it_was_claimed_stays_home(play: Played, statement: str) -> None:
    async def scene(world: World) -> None:
        settings = SETTINGS.model_copy(update={"claim_ahead": timedelta(seconds=10)})
        post_id = world.add(due_in=timedelta(seconds=5))
        world.add("Another", due_in=timedelta(seconds=8))
        world.start(settings)
        await world.until(lambda: world.post(post_id).claimed_by is not None)
        cancel = update(posts).where(posts.c.id == post_id)
        work = {
            "cancel": cancel.values(status="cancelled", claimed_by=None, claimed_until=None),
            "delete": delete(posts).where(posts.c.id == post_id),
        }[statement]
        world.database.write_now(lambda rows: rows.execute(work))
        await world.until_done()

        assert world.platforms[ConnectionPlatform.X].ledger == [("person-0", "Another")]

    play(scene, listing())


@pytest.mark.parametrize("fate", [Fate.ACCEPTED, Fate.LOST_AFTER])
def test_truth_wins_over_a_soft_delete_during_publishing(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        post_id = world.add()

        async def cancel() -> None:
            work = update(posts).values(status="cancelled")
            await world.database.write(lambda rows: rows.execute(work))

        there.during = cancel
        there.fates = [fate]
        world.start()
        await world.until(lambda: world.post(post_id).status == PostStatus.POSTED)

        assert len(there.ledger) == 1
        assert len(world.contents()) == 1

    play(scene, listing())


@pytest.mark.parametrize("fate", [Fate.BUSY, Fate.REFUSED, Fate.LOST_BEFORE])
def test_a_soft_delete_during_publishing_stops_further_attempts(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        post_id = world.add()

        async def cancel() -> None:
            work = update(posts).values(status="cancelled")
            await world.database.write(lambda rows: rows.execute(work))

        there.during = cancel
        there.fates = [fate]
        world.start()
        await world.until(lambda: there.calls == 1)
        await world.until_done()
        await world.time.sleep(SETTINGS.retry_longest)

        assert world.post(post_id).status == PostStatus.CANCELLED
        assert there.calls == 1
        assert there.ledger == []

    play(scene, listing())


def test_a_hard_delete_during_publishing_leaves_the_content_record(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        post_id = world.add("Gone but live")

        async def remove() -> None:
            await world.database.write(lambda rows: rows.execute(delete(posts)))

        there.during = remove
        world.start()
        await world.until(lambda: len(world.contents()) == 1)

        (content,) = world.contents()
        assert (content.post_id, content.description) == (post_id, "Gone but live")

    play(scene, listing())


def test_a_lost_answer_about_a_post_deleted_for_good_is_not_looked_for(play: Played) -> None:
    """Its text is gone, too: the attempt ends and says so."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [Fate.LOST_AFTER]
        post_id = world.add()

        async def remove() -> None:
            await world.database.write(lambda rows: rows.execute(delete(posts)))

        there.during = remove
        world.start(SETTINGS.model_copy(update={"lease": timedelta(seconds=5)}))
        await world.until(lambda: there.calls == 1)
        await world.until_done()

        (attempt,) = world.attempts(post_id)
        assert attempt.outcome == "unknown"
        assert attempt.advice.startswith("The post was deleted")
        assert there.calls == 1

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
