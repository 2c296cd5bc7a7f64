"""What platforms refuse: retried when it may pass, ended with a reason when it does not."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.platforms.base import FailureKind, PlatformError
from app.service.publishing.claims import release_connection
from app.service.store.tables import connections
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
        assert "after several tries" in world.attempts(post_id)[-1].advice
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


REVOKED = PlatformError(FailureKind.AUTH_EXPIRED, "invalid_grant", "revoked")


def test_a_refused_token_is_renewed(play: Played) -> None:
    async def scene(world: World) -> None:
        world.tokens.current = "dead"
        post_id = world.add()
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert world.platforms[ConnectionPlatform.X].calls == 2
        assert world.tokens.ends == []

    play(scene, listing())


def test_a_short_refusal_fails_no_post(play: Played) -> None:
    """Also renewed tokens are refused for a while."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [Fate.TOKEN_DEAD] * 5
        ids = [world.add(str(number), due_in=timedelta(seconds=number)) for number in range(10)]
        world.start()
        await world.until_done()

        assert {world.post(post_id).status for post_id in ids} == {PostStatus.POSTED}
        assert len(there.ledger) == len(ids)

    play(scene, listing())


def test_the_post_of_an_account_that_ended_waits_until_it_is_connected_again(play: Played) -> None:
    async def scene(world: World) -> None:
        world.tokens.current, world.tokens.next = "dead", REVOKED
        post_id, other = world.add(), world.add("Later", due_in=timedelta(seconds=5))
        world.start()
        await world.until(lambda: len(world.attempts(post_id)) == len(world.attempts(other)) == 1)
        world.tokens.failures = [REVOKED] * 4
        for _ in range(2):
            await world.until(lambda: world.post(post_id).claimed_by is None)
            free_posts(world)
            await world.until(lambda: len(world.tokens.failures) < 3)

        assert world.post(post_id).status == PostStatus.PROCESSING
        assert "Connect the account again" in world.attempts(post_id)[-1].advice
        world.tokens.failures, world.tokens.current = [], "good"
        await world.until(lambda: world.post(post_id).claimed_by is None)
        free_posts(world)
        await world.until_done()
        assert world.post(post_id).status == world.post(other).status == PostStatus.POSTED
        steps = [(row.step, row.outcome) for row in world.attempts(post_id)]
        assert steps in (
            [("publish", "refused"), ("authorize", "refused"), ("publish", "published")],
            [("publish", "refused"), ("publish", "published")],
        )

    play(scene, listing())


def free_posts(world: World) -> None:
    """As connecting the account again does."""
    [connection] = world.connections[ConnectionPlatform.X]
    world.database.write_now(lambda rows: release_connection(rows, connection))


@pytest.mark.parametrize("fate", [Fate.LOST_BEFORE, Fate.LOST_AFTER])
def test_a_lost_call_is_settled_once_its_expired_account_is_reconnected(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [fate]
        post_id = world.add()
        world.start()
        await world.until(lambda: any(row.unknown_since for row in world.attempts(post_id)))
        world.tokens.failures = [REVOKED] * 1_000
        limit = world.time.now() + 3 * SETTINGS.unknown_limit
        await world.until(lambda: world.time.now() > limit)
        assert world.post(post_id).status == PostStatus.PROCESSING

        world.tokens.failures = []
        await world.until(lambda: world.post(post_id).claimed_by is None)
        free_posts(world)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert len(there.ledger) == 1

    play(scene, listing())


def test_a_post_whose_account_is_not_connected_again_in_time_fails_and_says_why(play: Played) -> None:
    async def scene(world: World) -> None:
        world.tokens.failures = [REVOKED] * 1_000
        post_id = world.add()
        world.start()
        await world.until(lambda: len(world.attempts(post_id)) == 1)
        world.time.offset += SETTINGS.grace
        await world.until_done()

        assert world.post(post_id).status == PostStatus.FAILED
        assert "wasn't connected again in time" in world.attempts(post_id)[-1].advice
        assert [row.step for row in world.attempts(post_id)] == ["authorize", "schedule"]
        assert world.platforms[ConnectionPlatform.X].calls == 0

    play(scene, listing())


def test_after_a_reconnection_a_post_is_retried_as_if_it_were_due_now(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        world.tokens.failures = [REVOKED]
        post_id = world.add()
        world.start()
        await world.until(lambda: len(world.attempts(post_id)) == 1)
        there.fates = [Fate.BUSY, Fate.BUSY]
        world.time.offset += SETTINGS.retry_span + timedelta(hours=1)
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED

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


def test_an_account_that_another_process_disconnected_publishes_nothing(play: Played) -> None:
    """This process remembers a token that still works."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        post_id = world.add(due_in=timedelta(seconds=20))
        world.tokens.when_forgotten = [REVOKED] * 100
        gone = update(connections).where(connections.c.id == world.connections[ConnectionPlatform.X][0])
        with world.time.standing():
            world.start(SETTINGS.model_copy(update={"claim_ahead": timedelta(seconds=60)}))
            await world.until(lambda: world.post(post_id).claimed_by is not None)
            world.database.write_now(lambda rows: rows.execute(gone.values(is_available=False)))
        await world.until(lambda: bool(world.attempts(post_id)))
        assert [one.step for one in world.attempts(post_id)] == ["authorize"]
        assert there.ledger == []

    play(scene, listing())
