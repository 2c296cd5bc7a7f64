"""Posts that go to the user's inbox: sent once, asked about until the user has published them, or failed."""

import asyncio
from datetime import timedelta
from random import Random
from uuid import UUID

import pytest
from sqlalchemy import select, update

from app.contract.enums import PostStatus
from app.platforms.base import FailureKind, PlatformError, Publication, Published
from app.service.api.responses import ApiError
from app.service.inbox import in_inboxes
from app.service.posts.changing import cancel, reschedule
from app.service.store.tables import changes, connections
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FastTime, Fate, InboxPlatform
from tests.service.publishing.world import SETTINGS, Step, World
from tests.stores import ON_BOTH

pytestmark = ON_BOTH

QUICK = SETTINGS.model_copy(update={"follow_first": timedelta(seconds=1)})
LIMIT = timedelta(seconds=20)
LIMITED = QUICK.model_copy(update={"hand_over_limit": LIMIT})


async def delivered(world: World, post_id: UUID) -> None:
    await world.until(lambda: ("hand_over", "in_inbox") in outcomes(world, post_id))


def outcomes(world: World, post_id: UUID) -> list[tuple[str, str]]:
    return [(one.step, one.outcome) for one in world.attempts(post_id)]


def waiting(world: World) -> list[UUID]:
    return world.database.read_now(lambda rows: in_inboxes(rows, world.account_id))


def test_a_post_waits_in_the_inbox_until_its_user_has_published_it(play: Played) -> None:
    there = InboxPlatform()

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(QUICK)
        await delivered(world, post_id)
        assert world.post(post_id).status == PostStatus.PROCESSING
        assert world.contents() == []
        assert waiting(world) == [post_id]
        [attempt] = world.attempts(post_id)
        assert attempt.advice.startswith("The post is in your TikTok inbox.")
        await world.until(lambda: there.questions > 2)

        there.published.add(0)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert world.post(post_id).posted_at > attempt.started_at
        [content] = world.contents()
        assert (content.post_id, content.content_id) == (post_id, "item-0")
        assert outcomes(world, post_id) == [("hand_over", "published")]
        assert waiting(world) == []
        assert there.calls == 1

    play(scene, there)


def test_the_stream_names_a_post_that_has_reached_the_inbox(play: Played) -> None:
    """Its status was ``processing`` before, so no trigger records a change."""
    there = InboxPlatform()

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(QUICK)
        await delivered(world, post_id)
        [attempt] = world.attempts(post_id)
        newest = select(changes).order_by(changes.c.transaction_id.desc(), changes.c.seq.desc()).limit(1)
        change = world.database.read_now(lambda rows: rows.execute(newest).one())
        assert (change.kind, UUID(change.subject)) == ("post.changed", post_id)
        assert (change.account_id, change.created_at) == (world.account_id, attempt.finished_at)

    play(scene, there)


def test_a_post_that_stays_in_the_inbox_fails_after_the_limit(play: Played) -> None:
    there = InboxPlatform()

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(LIMITED)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.FAILED
        asked, ended = world.attempts(post_id)
        assert ended.started_at >= asked.started_at + LIMIT
        assert outcomes(world, post_id) == [("hand_over", "in_inbox"), ("hand_over", "refused")]
        assert ended.advice.startswith("Nobody published this post from the TikTok inbox in time.")
        assert there.calls == 1

    play(scene, there)


@pytest.mark.parametrize("limit", [LIMIT, timedelta(milliseconds=1)], ids=["before it", "after it"])
@pytest.mark.parametrize(
    ("awake", "jump", "unmeasured"),
    [
        (timedelta(), timedelta(hours=1), timedelta()),
        (timedelta(), timedelta(), timedelta(hours=1)),
        (timedelta(minutes=2), timedelta(hours=-7), timedelta()),
        (timedelta(minutes=2), timedelta(minutes=-2), timedelta()),
        (timedelta(), timedelta(hours=-7), timedelta()),
    ],
    ids=["suspended", "suspended unnoticed", "slow and set back", "slow and set back as far", "set back"],
)
def test_a_late_answer_does_not_end_the_wait(
    play: Played, limit: timedelta, awake: timedelta, jump: timedelta, unmeasured: timedelta
) -> None:
    """It was asked before the limit or after, and the user published the post before the answer arrived.

    The clock may not show it: it was set back meanwhile, or the computer was suspended, and the database
    wasn't asked for its time since.
    """

    class Late(InboxPlatform):
        time: FastTime

        async def follow(self, publication: Publication) -> Published | None:
            answer = await super().follow(publication)
            self.time.unmeasured = timedelta()
            if not self.published:
                self.published.add(0)
                await self.time.sleep(awake)
                self.time.offset += jump
                self.time.unmeasured = unmeasured
                if jump < timedelta():  # until the clock is right again, the post isn't due by it
                    asyncio.get_running_loop().call_later(0.1, self.set_right)
            return answer

        def set_right(self) -> None:
            self.time.offset -= jump

    there = Late()

    async def scene(world: World) -> None:
        there.time = world.time
        post_id = world.add("Wool")
        world.start(LIMITED.model_copy(update={"hand_over_limit": limit}))
        await world.until_done()
        assert there.questions == 2
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, there)


@pytest.mark.parametrize("kind", [FailureKind.TRANSIENT, FailureKind.AUTH_EXPIRED])
def test_nobody_gives_up_while_the_platform_cannot_be_asked(play: Played, kind: FailureKind) -> None:
    there = InboxPlatform()
    there.failures = [PlatformError(kind, "503", "try later")] * 1_000

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(LIMITED)
        await delivered(world, post_id)
        await world.time.sleep(2 * LIMIT)
        assert world.post(post_id).status == PostStatus.PROCESSING

        there.published.add(0)
        there.failures.clear()
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, there)


def test_a_post_in_the_inbox_may_be_live_if_the_platform_never_answers(play: Played) -> None:
    there = InboxPlatform()
    there.failures = [PlatformError(FailureKind.TRANSIENT, "503", "try later")] * 1_000

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(LIMITED.model_copy(update={"grace": LIMIT}))
        await world.until_done()
        assert world.post(post_id).status == PostStatus.FAILED
        asked, ended = world.attempts(post_id)
        assert ended.started_at >= asked.started_at + 2 * LIMIT
        assert (ended.step, ended.outcome) == ("hand_over", "unknown")
        assert ended.advice.startswith("TikTok's answer was lost")

    play(scene, there)


def test_what_the_platform_could_not_process_fails_with_its_reason(play: Played) -> None:
    there = InboxPlatform()
    there.failures = [
        PlatformError(FailureKind.TRANSIENT, "503", "try later"),
        PlatformError(FailureKind.AUTH_EXPIRED, "401", "token expired"),
        PlatformError(FailureKind.INVALID, "file_format_check_failed", "TikTok couldn't publish it."),
    ]

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(QUICK)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.FAILED
        refused = world.attempts(post_id)[-1]
        assert (refused.platform_code, refused.outcome) == ("file_format_check_failed", "refused")
        assert there.calls == 1

    play(scene, there)


@pytest.mark.parametrize("fate", [Fate.LOST_AFTER, Fate.KILLED_AFTER])
def test_a_lost_answer_is_found_in_the_inbox(play: Played, fate: Fate) -> None:
    there = InboxPlatform()
    there.fates = [fate]

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(QUICK)
        if fate is Fate.KILLED_AFTER:
            await world.until(lambda: there.calls == 1 and there.killed.is_set())
            await world.crash()
            world.start(QUICK)
        await delivered(world, post_id)
        there.published.add(0)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert there.ledger == [("person-0", "Wool")]

    play(scene, there)


def test_a_lost_answer_of_a_post_that_was_published_meanwhile(play: Played) -> None:
    there = InboxPlatform()
    there.fates, there.published = [Fate.LOST_AFTER], {0}

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(QUICK)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert there.ledger == [("person-0", "Wool")]

    play(scene, there)


def test_the_wait_survives_the_end_of_the_program(play: Played) -> None:
    there = InboxPlatform()

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(QUICK)
        await delivered(world, post_id)
        for _ in range(2):
            await world.crash()
            there.questions = 0
            world.start(QUICK)
            await world.until(lambda: there.questions > 0)
        assert outcomes(world, post_id) == [("hand_over", "in_inbox")]
        assert there.calls == 1

    play(scene, there)


def test_what_is_in_the_inbox_is_never_sent_again(play: Played) -> None:
    """Neither by moving it, nor by cancelling and resuming it."""
    there = InboxPlatform()

    async def scene(world: World) -> None:
        post_id = world.add("Wool")
        world.start(QUICK)
        await delivered(world, post_id)
        later = world.time.now() + timedelta(seconds=5)

        def move() -> None:
            world.database.write_now(lambda rows: reschedule(rows, world.account_id, post_id, later))

        with pytest.raises(ApiError, match="can't be moved"):
            move()
        world.database.write_now(lambda rows: cancel(rows, world.account_id, post_id))
        with pytest.raises(ApiError, match="may be live"):
            move()
        assert waiting(world) == []

    play(scene, there)


def test_an_account_that_publishes_directly_leaves_the_inbox_alone(play: Played) -> None:
    there = InboxPlatform()

    async def scene(world: World) -> None:
        world.database.write_now(lambda rows: rows.execute(update(connections).values(inbox=False)))
        post_id = world.add("Wool")
        world.start(QUICK)
        await world.until_done()
        assert outcomes(world, post_id) == [("publish", "published")]
        assert there.questions == 0

    play(scene, there)


def test_nothing_is_in_the_inbox_twice_however_often_the_program_dies(play: Played) -> None:
    there = InboxPlatform()
    chance = Random(21)  # noqa: S311  no secret
    fates = [
        Fate.ACCEPTED,
        Fate.LOST_AFTER,
        Fate.LOST_BEFORE,
        Fate.BUSY,
        Fate.KILLED_AFTER,
        Fate.KILLED_BEFORE,
    ]
    there.fates = chance.choices(fates, k=60)
    there.published = set(range(100))

    async def scene(world: World) -> None:
        world.database.deaths = [
            (chance.randrange(2, 25), chance.choice([Step.BEFORE, Step.AFTER])) for _ in range(10)
        ]
        added = {world.add(f"Wool {number}"): number for number in range(20)}
        await world.live_through(QUICK)
        assert {world.post(post_id).status for post_id in added} == {PostStatus.POSTED}
        assert sorted(there.ledger) == sorted(("person-0", f"Wool {number}") for number in range(20))
        assert len(world.contents()) == 20

    play(scene, there)
