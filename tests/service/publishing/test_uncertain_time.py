"""After a jump of the clock nothing is sent, handed over, missed or given up until the time is certain."""

from datetime import timedelta

import pytest
from sqlalchemy import insert, select, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.publishing.jumps import SetBacks
from app.service.store.tables import posts, preparations
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FakePlatform, FastTime, Fate, listing
from tests.service.publishing.world import SETTINGS, World

X, BY_HAND = ConnectionPlatform.X, ConnectionPlatform("x-by-hand")
HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
AHEAD = SETTINGS.model_copy(update={"claim_ahead": 30 * SECOND})


class Doubtful(FastTime):
    """Time that is certain, or not."""

    certain = True

    @property
    def is_certain(self) -> bool:
        return self.certain

    async def check(self) -> bool:
        return self.certain


def doubtful(world: World) -> Doubtful:
    world.time = time = Doubtful()
    return time


def test_nothing_is_sent_handed_over_or_missed_before_the_time_is_known(play: Played) -> None:
    async def scene(world: World) -> None:
        time = doubtful(world)
        ids = [world.add(), world.add(platform=BY_HAND), world.add("Later", due_in=MINUTE)]
        time.offset, time.certain = 20 * HOUR, False
        world.start()
        await time.sleep(20 * SECOND)
        assert {world.post(one).status for one in ids} == {PostStatus.SCHEDULED}
        time.offset, time.certain = timedelta(), True
        await world.until(lambda: world.post(ids[0]).status == PostStatus.POSTED)
        await world.until(lambda: world.post(ids[1]).status == PostStatus.PROCESSING)
        await world.until(lambda: world.post(ids[2]).status == PostStatus.POSTED)
        [began] = [one.started_at for one in world.attempts(ids[2])]
        assert began >= world.post(ids[2]).scheduled_at

    play(scene, listing(), FakePlatform(BY_HAND))


@pytest.mark.parametrize("is_by_hand", [False, True])
def test_what_is_in_hand_is_not_sent_when_the_clock_jumps_ahead(play: Played, *, is_by_hand: bool) -> None:
    async def scene(world: World) -> None:
        time = doubtful(world)
        post_id = world.add(due_in=25 * SECOND, platform=BY_HAND if is_by_hand else X)
        with time.standing():
            world.start(AHEAD)
            await world.until(lambda: world.post(post_id).claimed_by is not None)
            time.offset, time.certain = 7 * HOUR, False
        await time.sleep(10 * SECOND)
        assert world.attempts(post_id) == []
        time.offset, time.certain = timedelta(), True
        await world.until(lambda: world.attempts(post_id) != [])
        assert world.attempts(post_id)[0].started_at >= world.post(post_id).scheduled_at
        is_over = PostStatus.PROCESSING if is_by_hand else PostStatus.POSTED
        await world.until(lambda: world.post(post_id).status == is_over)

    play(scene, listing(), FakePlatform(BY_HAND))


def test_a_failure_during_a_jump_is_no_reason_to_give_up(play: Played) -> None:
    async def scene(world: World) -> None:
        time, there = doubtful(world), world.platforms[X]
        there.fates = [Fate.BUSY]

        async def jump() -> None:
            time.offset, time.certain = 20 * HOUR, False

        there.during = jump
        post_id = world.add()
        world.start()
        await world.until(lambda: there.calls == 1)
        await time.sleep(10 * SECOND)
        assert world.post(post_id).status == PostStatus.PROCESSING
        there.during = None
        time.offset, time.certain = timedelta(), True
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, listing())


def test_moments_of_preparations_are_moved_back_with_the_clock(play: Played) -> None:
    async def scene(world: World) -> None:
        time = world.time
        ids = [world.add(), world.add("Hi")]
        backs = SetBacks(world.database, time, SETTINGS)
        now = time.now()
        rows: list[dict[str, object]] = [
            {"post_id": ids[0], "next_at": now + HOUR, "settled_at": None},
            {"post_id": ids[1], "next_at": None, "settled_at": now},
        ]
        with time.standing():
            world.database.write_now(lambda connection: connection.execute(insert(preparations), rows))
            time.offset -= HOUR
            assert await backs.look()
        found = world.database.read_now(lambda rows: list(rows.execute(select(preparations))))
        moved = {one.post_id: (one.next_at, one.settled_at) for one in found}
        assert moved == {ids[0]: (now, None), ids[1]: (None, now - HOUR)}

    play(scene, listing())


def test_a_sweep_ends_waits_that_are_too_long_but_not_the_users(play: Played) -> None:
    async def scene(world: World) -> None:
        time = world.time
        ids = [world.add(), world.add(platform=BY_HAND), world.add("Hi")]
        now = time.now()
        until = now + 20 * HOUR
        world.database.write_now(lambda rows: rows.execute(update(posts).values(claimed_until=until)))
        single = update(posts).where(posts.c.id == ids[2]).values(by_hand=True)
        world.database.write_now(lambda rows: rows.execute(single))
        late = {"post_id": ids[0], "next_at": until, "settled_at": until}
        world.database.write_now(lambda rows: rows.execute(insert(preparations).values(late)))
        with time.standing():
            moment = time.now()
            await SetBacks(world.database, time, SETTINGS).sweep()
        assert world.post(ids[0]).claimed_until == moment
        assert [world.post(one).claimed_until for one in ids[1:]] == [until, until]
        [row] = world.database.read_now(lambda rows: list(rows.execute(select(preparations))))
        assert (row.next_at, row.settled_at) == (moment, moment)

    play(scene, listing(), FakePlatform(BY_HAND))
