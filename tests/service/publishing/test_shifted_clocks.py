"""Clocks that are wrong all the time: nothing is published early or twice, and what is due goes out."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.contract.enums import ConnectionPlatform, PostStatus
from app.platforms.base import TimeSource
from app.service.clock import DatabaseClock, PlatformClock
from app.service.publishing.clock import DatabaseTime
from tests.service.publishing import own_time
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FastTime, Fate, listing, refusing
from tests.service.publishing.world import SETTINGS, World
from tests.service.running import MovingClock

X, LINKEDIN = ConnectionPlatform.X, ConnectionPlatform.LINKEDIN
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
PATIENT = SETTINGS.model_copy(update={"settle_delay": 30 * SECOND})
AHEAD = pytest.mark.parametrize("ahead", [8 * SECOND, HOUR, 30 * HOUR], ids=str)


class HeldTime(FastTime):
    """A computer's clock that is ahead, held back by what a platform with the right time says."""

    def __init__(self, right: FastTime, ahead: timedelta) -> None:
        super().__init__()
        self._right = right
        self._ahead = ahead
        self._clock = PlatformClock(self._machine, self._steady_s)
        self.asked = 0

    def _machine(self) -> datetime:
        return self._right.now() + self._ahead

    def _steady_s(self) -> float:
        return self.elapsed().total_seconds()

    def now(self) -> datetime:
        return self._clock()

    def behind(self, platform: ConnectionPlatform) -> timedelta:
        return self._clock.behind(platform)

    async def check(self) -> bool:
        if not self._clock.is_proven():
            self.asked += 1
            theirs = self._right.now().replace(microsecond=0)
            for platform in (X, LINKEDIN):
                self._clock.heard(TimeSource(platform), theirs, self._steady_s())
        return True


@AHEAD
@pytest.mark.parametrize("fate", [Fate.ACCEPTED, Fate.LOST_AFTER, Fate.KILLED_AFTER])
def test_a_computer_whose_clock_is_ahead_publishes_once_and_not_early(
    play: Played, ahead: timedelta, fate: Fate
) -> None:
    async def scene(world: World) -> None:
        there, right = world.platforms[X], FastTime()
        there.time, there.refuses_for, there.fates = right, timedelta(), [fate]
        due = right.now() + 60 * SECOND
        world.time = HeldTime(right, ahead)
        post_id = world.add(due_in=due - world.time.now())
        await world.live_through()

        assert world.post(post_id).status == PostStatus.POSTED
        [accepted_at] = there.accepted_at
        assert accepted_at >= due
        assert world.time.asked >= 1

    play(scene, listing())


@pytest.mark.parametrize("off_for", [SECOND, HOUR], ids=str)
def test_a_computer_whose_clock_stood_still_while_it_was_off_repeats_nothing_too_late(
    play: Played, off_for: timedelta
) -> None:
    """By its clock the platform would still refuse a copy, which it doesn't any more."""

    async def scene(world: World) -> None:
        there, right = world.platforms[LINKEDIN], FastTime()
        there.time, there.fates = right, [Fate.LOST_AFTER]
        world.time = HeldTime(right, timedelta())
        post_id = world.add()
        world.start(PATIENT)
        await world.until(lambda: any(row.unknown_since for row in world.attempts(post_id)))
        await world.crash()
        right.offset += off_for
        world.time = HeldTime(right, -off_for)
        world.start()
        await world.until_done()
        assert len(there.ledger) == 1
        is_in_time = off_for == SECOND
        assert world.post(post_id).status == (PostStatus.POSTED if is_in_time else PostStatus.FAILED)
        if not is_in_time:
            assert "whether the post is live" in world.attempts(post_id)[-1].advice

    play(scene, refusing())


@pytest.mark.parametrize("behind", [8 * SECOND, HOUR, 30 * HOUR], ids=str)
def test_a_lost_call_can_be_repeated_after_a_start_with_a_clock_that_was_behind(
    play: Played, behind: timedelta
) -> None:
    """By that clock the call was still to come."""

    async def scene(world: World) -> None:
        there, right = world.platforms[LINKEDIN], FastTime()
        there.time, there.fates = right, [Fate.LOST_AFTER]
        world.time = HeldTime(right, timedelta())
        post_id = world.add()
        world.start(PATIENT)
        await world.until(lambda: any(row.unknown_since for row in world.attempts(post_id)))
        await world.crash()
        sent_at = world.attempts(post_id)[0].started_at
        world.time = HeldTime(right, -behind)
        other_id = world.add(text="another one")
        world.start()
        await world.until(lambda: world.post(other_id).status == PostStatus.POSTED)
        await world.crash()
        assert world.attempts(post_id)[0].started_at == sent_at
        world.time = HeldTime(right, timedelta())
        await world.live_through()
        assert len(there.ledger) == 2
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, refusing())


def test_a_computer_whose_clock_is_always_behind_repeats_in_time(play: Played) -> None:
    async def scene(world: World) -> None:
        there, right = world.platforms[LINKEDIN], FastTime()
        there.time, there.fates = right, [Fate.LOST_AFTER]
        world.time = HeldTime(right, -HOUR)
        post_id = world.add()
        await world.live_through()
        assert world.post(post_id).status == PostStatus.POSTED
        assert len(there.ledger) == 1

    play(scene, refusing())


@pytest.mark.parametrize("ahead", [HOUR, -HOUR, 8 * SECOND], ids=str)
@pytest.mark.logs_error("this machine's clock is wrong")
def test_a_worker_whose_clock_is_wrong_publishes_nothing_until_it_is_right(
    tmp_path: Path, ahead: timedelta
) -> None:
    async def main() -> None:
        world = World(tmp_path, [listing()], store="postgresql")
        machine = MovingClock()
        clock = DatabaseClock(world.database, machine)
        world.time = DatabaseTime(clock)  # type: ignore[assignment]
        try:
            post_id = world.add(due_in=SECOND)
            machine.ahead = ahead
            await clock.measure()
            world.start(SETTINGS, exclusive=False)
            await world.time.sleep(3 * SECOND)
            assert world.post(post_id).claimed_by is None
            assert world.platforms[X].calls == 0
            machine.ahead = timedelta()
            await clock.measure()
            await world.until_done()
            assert world.post(post_id).status == PostStatus.POSTED
            assert len(world.platforms[X].ledger) == 1
        finally:
            await world.close()

    own_time.run(main())


@pytest.mark.logs_error("this machine's clock is wrong")
def test_a_worker_whose_clock_goes_wrong_withdraws_what_it_has_in_hand(tmp_path: Path) -> None:
    async def main() -> None:
        world = World(tmp_path, [listing()], store="postgresql")
        machine = MovingClock()
        clock = DatabaseClock(world.database, machine)
        world.time = DatabaseTime(clock)  # type: ignore[assignment]
        ahead = SETTINGS.model_copy(update={"claim_ahead": 10 * SECOND})
        try:
            post_id = world.add(due_in=4 * SECOND)
            world.start(ahead, exclusive=False)
            await world.until(lambda: world.post(post_id).claimed_by is not None)
            machine.ahead = HOUR
            await clock.measure()
            await world.until(lambda: world.post(post_id).claimed_by is None)
            assert world.platforms[X].calls == 0
            assert world.attempts(post_id) == []
        finally:
            await world.close()

    own_time.run(main())
