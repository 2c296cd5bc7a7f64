"""A clock that jumps, forward or back, by seconds or by hours: no post is lost, repeated, early, or stuck."""

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Row, insert, select, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.clock import system_clock
from app.service.publishing.clock import Timekeeper
from app.service.publishing.jumps import Jumps, move_back
from app.service.store.tables import attempts, posts, preparations
from tests.service.publishing import own_time
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FakePlatform, FastTime, Fate, listing, refusing
from tests.service.publishing.test_crashes import check
from tests.service.publishing.world import SETTINGS, World

X = ConnectionPlatform.X
HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
BRIEF = SETTINGS.model_copy(update={"lease": timedelta(seconds=10)})
AGES = pytest.mark.parametrize("back", [10 * SECOND, 2 * HOUR, 10 * HOUR], ids=str)


def test_after_a_suspend_what_is_due_goes_out_at_once(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add(due_in=3 * HOUR)
        world.start(BRIEF)
        await world.time.sleep(5 * SECOND)
        world.time.offset += 5 * HOUR
        await world.until_done()
        [attempt] = world.attempts(post_id)
        late = attempt.started_at - world.post(post_id).scheduled_at
        assert world.post(post_id).status == PostStatus.POSTED
        assert 2 * HOUR - MINUTE < late < 2 * HOUR + MINUTE

    play(scene, listing())


def test_after_a_very_long_one_it_is_said_that_it_was_missed(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add(due_in=HOUR)
        world.start(BRIEF)
        await world.time.sleep(5 * SECOND)
        world.time.offset += 20 * HOUR
        await world.until_done()
        assert world.post(post_id).status == PostStatus.FAILED
        assert "too late" in world.attempts(post_id)[-1].advice
        assert world.platforms[X].ledger == []

    play(scene, listing())


def test_a_post_in_hand_is_not_sent_half_a_day_late(play: Played) -> None:
    """It was claimed in time, and the computer was suspended while its file was under way."""

    async def scene(world: World) -> None:
        gate, begun = asyncio.Event(), asyncio.Event()

        async def preparing(_publication: object) -> None:
            begun.set()
            await gate.wait()

        world.platforms[X].preparing = preparing
        post_id = world.add(picture=b"picture")
        world.start(BRIEF)
        await begun.wait()
        world.time.offset += 20 * HOUR
        gate.set()
        await world.until_done()
        assert world.post(post_id).status == PostStatus.FAILED
        assert "too late" in world.attempts(post_id)[-1].advice
        assert world.platforms[X].ledger == []

    play(scene, listing())


@AGES
def test_a_post_in_hand_is_not_sent_early_when_the_clock_goes_back(play: Played, back: timedelta) -> None:
    async def scene(world: World) -> None:
        ahead = BRIEF.model_copy(update={"claim_ahead": 30 * SECOND})
        post_id = world.add(due_in=20 * SECOND)
        with world.time.standing():
            world.start(ahead)
            await world.until(lambda: world.post(post_id).claimed_by is not None)
            world.time.offset -= back
        await world.time.sleep(25 * SECOND if back > MINUTE else SECOND)
        if back > MINUTE:
            assert world.platforms[X].ledger == []
            world.time.offset += back
        await world.until_done()
        assert all(row.started_at >= world.post(post_id).scheduled_at for row in world.attempts(post_id))
        assert len(world.platforms[X].ledger) == 1

    play(scene, listing())


@AGES
@pytest.mark.parametrize("forward", [False, True], ids=["back", "forward"])
def test_a_jump_during_the_call_repeats_nothing(play: Played, back: timedelta, *, forward: bool) -> None:
    async def scene(world: World) -> None:
        gate, begun = asyncio.Event(), asyncio.Event()

        async def during() -> None:
            begun.set()
            await gate.wait()

        world.platforms[X].during = during
        world.platforms[X].refuses_for = timedelta()
        post_id = world.add()
        patient = BRIEF.model_copy(update={"lease": 40 * SECOND})
        engines = [world.start(patient, exclusive=False) for _ in range(2)]
        await begun.wait()
        world.time.offset += back if forward else -back
        for engine in engines:
            engine.notify()
        await world.time.sleep(80 * SECOND)
        assert world.platforms[X].calls == 1
        assert world.platforms[X].look_count == 0
        gate.set()
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert len(world.platforms[X].ledger) == 1

    play(scene, listing())


@AGES
@pytest.mark.parametrize("exclusive", [True, False])
def test_a_lost_answer_is_looked_for_soon_although_the_clock_went_back(
    play: Played, back: timedelta, *, exclusive: bool
) -> None:
    async def scene(world: World) -> None:
        world.platforms[X].fates = [Fate.LOST_AFTER]
        world.platforms[X].look_failures = 2
        post_id = world.add()
        world.start(BRIEF, exclusive=exclusive)
        await world.until(lambda: any(row.unknown_since for row in world.attempts(post_id)))
        world.time.offset -= back
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert len(world.platforms[X].ledger) == 1

    play(scene, listing())


@pytest.mark.parametrize("forward", [HOUR, 10 * HOUR], ids=str)
@pytest.mark.parametrize("is_restarted", [False, True], ids=["suspended", "restarted"])
def test_a_lost_answer_is_looked_for_as_long_as_ever_although_the_clock_went_forward(
    play: Played, forward: timedelta, *, is_restarted: bool
) -> None:
    """A computer that wakes up often has no network for its first looks."""

    async def scene(world: World) -> None:
        there = world.platforms[X]
        there.fates, there.look_failures = [Fate.LOST_AFTER], 4
        post_id = world.add()
        world.start(BRIEF)
        await world.until(lambda: there.look_failures < 4)
        if is_restarted:
            await world.crash()
        world.time.offset += forward
        if is_restarted:
            world.start(BRIEF)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert len(there.ledger) == 1

    play(scene, listing())


@AGES
@pytest.mark.parametrize("exclusive", [True, False])
def test_a_dead_owner_holds_nothing_for_as_long_as_the_clock_went_back(
    play: Played, back: timedelta, *, exclusive: bool
) -> None:
    """The clock was set while no program ran, so that nobody saw it jump."""

    async def scene(world: World) -> None:
        world.platforms[X].fates = [Fate.KILLED_AFTER]
        post_id = world.add()
        world.start(BRIEF, exclusive=exclusive)
        await world.until(world.database.killed.is_set)
        await world.crash()
        world.time.offset -= back
        world.start(BRIEF, exclusive=exclusive)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert len(world.platforms[X].ledger) == 1

    play(scene, listing())


def test_a_retry_waits_for_its_time_and_not_for_as_long_as_the_clock_went_back(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[X]
        there.fates = [Fate.SLOW_DOWN]
        post_id = world.add(due_in=-2 * HOUR)  # so that it is still due when the clock has gone back
        world.start(BRIEF)
        await world.until(lambda: world.post(post_id).claimed_until is not None and there.calls == 1)
        await world.until(lambda: world.post(post_id).claimed_by is None)
        world.time.offset -= HOUR
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, listing())


@pytest.mark.parametrize("stopped", [False, True])
def test_what_was_to_go_out_at_once_does_not_wait_until_the_clock_is_there_again(
    play: Played, *, stopped: bool
) -> None:
    """The clock was ahead when somebody pressed Publish, and was then put right."""

    async def scene(world: World) -> None:
        if not stopped:
            world.start(BRIEF)
        world.time.offset += HOUR
        with world.time.standing():
            at_once = world.add("Now", status=PostStatus.QUEUED)
            planned = world.add("Later", due_in=SECOND)
            world.time.offset -= HOUR
        if stopped:
            world.start(BRIEF)
        await world.until(lambda: world.post(at_once).status == PostStatus.POSTED)
        assert world.post(planned).status == PostStatus.SCHEDULED
        assert world.post(at_once).scheduled_at <= world.time.now()

    play(scene, listing())


@pytest.mark.parametrize("back", [timedelta(), HOUR], ids=str)
def test_only_moments_in_the_future_are_moved_back(play: Played, back: timedelta) -> None:
    async def scene(world: World) -> None:
        now = world.time.now()
        pressed = world.add("Now", due_in=-MINUTE, status=PostStatus.QUEUED)
        waiting, held, failed = (world.add("Later", due_in=HOUR) for _ in range(3))
        unanswered = {
            "id": uuid4(),
            "post_id": held,
            "account_id": world.account_id,
            "step": "publish",
            "outcome": "unknown",
            "started_at": now - MINUTE,
            "unknown_since": now,
        }
        prepared = {
            "post_id": failed,
            "next_at": now if back else now + MINUTE,
            "settled_at": now - MINUTE,
        }

        def store(rows: Connection) -> None:
            free = update(posts).where(posts.c.id == waiting)
            # A step of unknown size moves what is further away than any wait can be.
            rows.execute(free.values(claimed_until=now if back else now + MINUTE))
            taken = update(posts).where(posts.c.id == held)
            rows.execute(taken.values(claimed_by=uuid4(), claimed_until=now + BRIEF.lease / 2))
            rows.execute(insert(attempts).values(unanswered))
            rows.execute(insert(preparations).values(prepared))

        def everything() -> list[list[Row[Any]]]:
            tables = (posts, attempts, preparations)
            return world.database.read_now(
                lambda rows: [sorted(rows.execute(select(table)), key=repr) for table in tables]
            )

        world.database.write_now(store)
        before = everything()
        world.database.write_now(lambda rows: move_back(rows, now, back, BRIEF.lease, HOUR))
        assert everything() == before
        assert world.post(pressed).scheduled_at == now - MINUTE

    play(scene, listing())


KINDS = {"listing": listing, "refusing": refusing}
JUMPS = st.lists(
    st.tuples(
        st.sampled_from([0, 0.3, 1, 4, 20]).map(lambda seconds: seconds * SECOND),
        st.sampled_from([-5 * HOUR, -1 * HOUR, -7 * SECOND, 7 * SECOND, 10 * MINUTE, 5 * HOUR]),
    ),
    max_size=4,
)
FATES = st.lists(
    st.sampled_from([Fate.ACCEPTED, Fate.LOST_AFTER, Fate.LOST_BEFORE, Fate.BUSY, Fate.SLOW_DOWN]), max_size=4
)


@settings(max_examples=settings().max_examples * 2 // 5)
@given(jumps=JUMPS, fates=FATES, kind=st.sampled_from(sorted(KINDS)), engines=st.integers(1, 2))
def test_never_twice_and_never_stuck_however_the_clock_jumps(
    jumps: list[tuple[timedelta, timedelta]], fates: list[Fate], kind: str, engines: int
) -> None:
    platform = KINDS[kind]()
    platform.fates = list(fates)
    if kind == "listing":
        platform.refuses_for = timedelta()  # the look alone must do

    async def scene(folder: Path) -> None:
        world = World(folder, [platform])
        platform.time, platform.ours = FastTime(), world.time  # the platform's own clock is right
        try:
            await _live(world, platform)
        finally:
            await world.close()

    async def _live(world: World, platform: FakePlatform) -> None:
        ids = {f"Post {number}": world.add(f"Post {number}", due_in=number * SECOND) for number in range(3)}
        for _ in range(engines):
            world.start(BRIEF, exclusive=engines == 1)
        for pause, jump in jumps:
            await world.time.sleep(pause)
            world.time.offset += jump
        # In the end the clock is right, or a little ahead: everything is due.
        world.time.offset = max(world.time.offset, timedelta())
        await world.until_done()
        for text, post_id in ids.items():
            check(world, platform, text, world.post(post_id).status, [*world.attempts(post_id)])
            if all(jump >= timedelta() for _, jump in jumps):  # else open attempts are put right, too
                assert all(
                    row.started_at >= world.post(post_id).scheduled_at or row.step != "publish"
                    for row in world.attempts(post_id)
                    if row.unknown_since is None
                )

    with tempfile.TemporaryDirectory() as folder:
        own_time.run(scene(Path(folder)))


class SteppedTime(Timekeeper):
    """Two clocks that a test moves."""

    def __init__(self) -> None:
        self.wall = datetime(2026, 11, 21, tzinfo=UTC)
        self.steady = timedelta()

    def now(self) -> datetime:
        return self.wall

    def elapsed(self) -> timedelta:
        return self.steady

    def pass_(self, length: timedelta, jump: timedelta = timedelta()) -> None:
        self.wall += length + jump
        self.steady += length


def test_only_jumps_are_jumps() -> None:
    time_ = SteppedTime()
    jumps = Jumps(time_, MINUTE)
    for length in (SECOND, HOUR, 100 * HOUR):
        time_.pass_(length, SECOND)  # a clock that is set now and then
        assert jumps.look() == timedelta()
        time_.pass_(SECOND, -SECOND)
        assert jumps.look() == timedelta()
    time_.pass_(HOUR, -3 * MINUTE)
    assert jumps.look() == 3 * MINUTE
    assert jumps.look() == timedelta()


def test_leases_are_left_alone_for_one_lease_after_a_jump_forward() -> None:
    time_ = SteppedTime()
    jumps = Jumps(time_, MINUTE)
    assert jumps.leases_over(time_.now()) == time_.now()
    time_.pass_(SECOND, 3 * HOUR)
    assert jumps.look() == timedelta()
    assert jumps.leases_over(time_.now()) == time_.now() - 3 * HOUR
    time_.pass_(MINUTE / 2, HOUR)
    jumps.look()
    assert jumps.leases_over(time_.now()) == time_.now() - 4 * HOUR
    time_.pass_(MINUTE)
    assert jumps.leases_over(time_.now()) == time_.now()


@pytest.fixture
def zones() -> Iterator[list[str]]:
    """Zones to change to; afterwards the process has its own again."""
    former = os.environ.get("TZ")
    yield ["Pacific/Auckland", "America/Los_Angeles", "Asia/Kathmandu"]
    if former is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = former
    time.tzset()


def test_another_zone_changes_nothing(play: Played, zones: list[str]) -> None:
    async def scene(world: World) -> None:
        post_id = world.add(due_in=30 * SECOND)
        with world.time.standing():
            world.start(BRIEF)
            for zone in zones:
                before = system_clock()
                os.environ["TZ"] = zone
                time.tzset()
                assert timedelta() <= system_clock() - before < MINUTE
                await world.time.sleep(5 * SECOND)
            assert world.platforms[X].ledger == []
        await world.until_done()
        [attempt] = world.attempts(post_id)
        assert timedelta() <= attempt.started_at - world.post(post_id).scheduled_at < 5 * MINUTE

    play(scene, listing())
