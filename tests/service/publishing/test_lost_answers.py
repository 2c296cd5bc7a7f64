"""A lost answer is never followed by a blind repeat, and never left open for ever."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from app.contract.enums import ConnectionPlatform, PostStatus
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import BOTH, FakePlatform, Fate, listing, refusing
from tests.service.publishing.world import SETTINGS, World


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
        assert [content.url for content in world.contents()] == ["https://social.example/item-0"]
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


def test_a_twin_of_some_minutes_ago_is_not_taken_for_the_lost_post(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.PINTEREST]
        world.add("Twin")
        world.start()
        await world.until_done()
        world.time.offset += timedelta(minutes=3)  # adapters look back as far, since clocks may differ
        there.fates = [Fate.LOST_BEFORE]
        second = world.add("Twin")
        await world.until_done()

        assert world.post(second).status == PostStatus.POSTED
        assert there.ledger == [("person-0", "Twin")] * 2
        assert len(world.contents()) == 2

    play(scene, FakePlatform(ConnectionPlatform.PINTEREST))


def test_a_copy_that_proves_the_first_call_leaves_nothing_to_do(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.LINKEDIN]
        there.fates = [Fate.LOST_AFTER]
        post_id = world.add()
        world.start()
        await world.until_done()

        copy = world.attempts(post_id)[-1]
        assert (copy.step, copy.outcome, copy.platform_code) == ("repeat", "refused", "duplicate")
        assert copy.advice.endswith("because the first is live. There's nothing left to do.")

    play(scene, refusing())


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


@pytest.mark.logs_error("a call failed unexpectedly")
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
        assert (attempt.platform_code, attempt.platform_message) == ("timeout", "no response")
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


@pytest.mark.parametrize("refusal", [Fate.BUSY, Fate.SLOW_DOWN])
def test_repeats_that_were_refused_for_certain_are_followed_by_others(play: Played, refusal: Fate) -> None:
    """They published nothing, so they say nothing about the lost call."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.LINKEDIN]
        there.fates = [Fate.LOST_AFTER, *[refusal] * (SETTINGS.tries + 2)]
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert len(there.ledger) == 1
        rows = world.attempts(post_id)
        assert (rows[-1].step, rows[-1].platform_code) == ("repeat", "duplicate")

    play(scene, refusing())


def test_repeats_whose_answers_are_lost_are_counted(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.LINKEDIN]
        there.fates = [Fate.LOST_AFTER, Fate.BUSY, *[Fate.LOST_BEFORE] * 10]
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.FAILED
        assert "whether the post is live" in world.attempts(post_id)[-1].advice
        lost = [row for row in world.attempts(post_id) if row.step == "repeat" and row.unknown_since]
        assert len(lost) == SETTINGS.repeats

    play(scene, refusing())
