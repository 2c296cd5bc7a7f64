"""What platforms refuse: retried when it may pass, ended with a reason when it does not."""

from datetime import timedelta

import pytest

from app.contract.enums import ConnectionPlatform, PostStatus
from app.platforms.base import FailureKind, PlatformError
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import Fate, listing, refusing
from tests.service.publishing.world import SETTINGS, World


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
        assert world.tokens.ends == (["dead"] if renewed == "dead" else [])
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
