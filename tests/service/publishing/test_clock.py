"""Waiting for wall time, whatever is done to the clock meanwhile."""

from datetime import UTC, datetime, timedelta

from app.service.publishing.clock import Timekeeper

START = datetime(2026, 11, 21, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class SteppedTime(Timekeeper):
    """Time that passes in sleep alone; during the first one the wall clock jumps as well."""

    def __init__(self, jump: timedelta) -> None:
        self._jump = jump
        self.wall = START
        self.steady = timedelta()

    def now(self) -> datetime:
        return self.wall

    def elapsed(self) -> timedelta:
        return self.steady

    async def sleep(self, length: timedelta) -> None:
        self.wall += length + self._jump
        self.steady += length
        self._jump = timedelta()


async def slept(jump: timedelta, longest: timedelta = timedelta.max) -> SteppedTime:
    time = SteppedTime(jump)
    await time.sleep_until(START + 5 * SECOND, longest)
    return time


async def test_it_waits_until_the_wall_clock_says_so() -> None:
    assert (await slept(timedelta())).steady == 5 * SECOND
    assert (await slept(-10 * SECOND)).steady == 15 * SECOND
    assert (await slept(timedelta(hours=1))).steady == SECOND


async def test_it_waits_no_longer_than_it_may() -> None:
    assert (await slept(-timedelta(hours=1), 5 * SECOND)).steady == 5 * SECOND
    assert (await slept(timedelta(), 2 * SECOND)).steady == 2 * SECOND
    assert (await slept(timedelta(), 8 * SECOND)).steady == 5 * SECOND
