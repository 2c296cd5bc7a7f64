"""The clocks of publishing, waiting for wall time, and jumps of the wall clock."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import BigInteger, Column, Connection, and_, type_coerce, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.clock import DatabaseClock, PlatformClock, system_clock
from app.service.store.tables import attempts, posts

_LONGEST_NAP = timedelta(seconds=1)


class Timekeeper:
    """The system's wall clock, and sleeping.

    A monotonic sleep doesn't notice that a laptop was suspended, so no wait is longer than a second.
    """

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return system_clock()

    def latest(self) -> datetime:
        """Return the latest possible current time, for deadlines."""
        return self.now()

    @property
    def problem(self) -> str | None:
        """Why this clock can't be trusted for publishing; None if it can."""
        return None

    async def check(self, platform: ConnectionPlatform) -> None:
        """Check the clock against a platform's before sending anything to it."""

    def behind(self, platform: ConnectionPlatform) -> timedelta:  # noqa: ARG002
        """How far the clock is known to be behind a platform's."""
        return timedelta()

    def elapsed(self) -> timedelta:
        """Time on a monotonic clock, which may stop during a suspend."""
        return timedelta(seconds=time.monotonic())

    async def sleep(self, length: timedelta) -> None:
        await asyncio.sleep(length.total_seconds())

    async def sleep_until(self, moment: datetime, longest: timedelta = timedelta.max) -> None:
        """Return once wall time reaches ``moment``, even if the clock is set, or after ``longest``."""
        began = self.elapsed()
        while (left := min(moment - self.now(), longest - (self.elapsed() - began))) > timedelta():
            await self.sleep(min(left, _LONGEST_NAP))

    async def wait(self, event: asyncio.Event, longest: timedelta) -> None:
        """Return when ``event`` is set, after ``longest``, or after one second."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, min(longest, _LONGEST_NAP).total_seconds())):
                await event.wait()


class DatabaseTime(Timekeeper):
    """The time of the database server, for processes that share one."""

    def __init__(self, clock: DatabaseClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        return self._clock()

    def latest(self) -> datetime:
        return self._clock.latest()

    @property
    def problem(self) -> str | None:
        return self._clock.problem


class PlatformTime(Timekeeper):
    """The system time checked against platforms; ``ask`` makes a platform send its time."""

    def __init__(self, clock: PlatformClock, ask: Callable[[ConnectionPlatform], Awaitable[None]]) -> None:
        self._clock = clock
        self._ask = ask

    def now(self) -> datetime:
        return self._clock()

    async def check(self, platform: ConnectionPlatform) -> None:
        await self._clock.check(lambda: self._ask(platform))

    def behind(self, platform: ConnectionPlatform) -> timedelta:
        return self._clock.behind(platform)


# Posts, leases and retries use the wall clock, because several processes share them. A comparison with the
# monotonic clock reveals jumps. After a jump forward, leases of other processes stay valid for one more
# lease, so that live processes can renew them. After a jump back, future moments in the rows are moved
# back; otherwise retries and looks would wait for as long as the clock went back.
_SMALL: Final = timedelta(seconds=2)
_UNSURE: Final = timedelta(milliseconds=500)
_MS: Final = timedelta(milliseconds=1)


class Jumps:
    """Detects jumps of one clock. ``lease`` is how long claims are valid without renewal."""

    def __init__(self, time: Timekeeper, lease: timedelta) -> None:
        self._time = time
        self._lease = lease
        self._wall, self._steady = time.now(), time.elapsed()
        self._forward = timedelta()
        self._patient_until = self._steady

    def look(self) -> timedelta:
        """Return how far the clock went back since the last look; zero if it didn't, or by less than 2 s."""
        before, wall, steady = self._time.elapsed(), self._time.now(), self._time.elapsed()
        jump = (wall - self._wall) - (steady - self._steady)
        if steady - before > _UNSURE or abs(jump) < _SMALL:
            return timedelta()
        self._wall, self._steady = wall, steady
        if jump < timedelta():
            return -jump
        still_patient = steady < self._patient_until
        self._forward = jump + (self._forward if still_patient else timedelta())
        self._patient_until = steady + self._lease
        return timedelta()

    def leases_over(self, now: datetime) -> datetime:
        """Return the latest end of a lease that counts as expired."""
        return now - self._forward if self._time.elapsed() < self._patient_until else now


def move_back(
    connection: Connection,
    now: datetime,
    back: timedelta,
    lease: timedelta,
    longest: timedelta,
    behind: timedelta = timedelta(),
) -> None:
    """Move moments that are too far in the future back by ``back``; zero if the jump's size is unknown.

    Posts to publish immediately are due ``now`` at the latest. Claims expire after one ``lease`` at the
    latest, so that live processes can renew them, and no post waits longer than ``longest``.

    ``behind`` is how far the clock is known to be behind the platforms'. Calls recorded up to the platforms'
    time were recorded while the clock was right, and stay as they are.
    """
    until = posts.c.claimed_until
    held_back = update(posts).where(posts.c.claimed_by.is_(None))
    connection.execute(held_back.where(until > now).values(claimed_until=_earlier(until, back)))
    connection.execute(held_back.where(until > now + longest).values(claimed_until=now))
    claimed = update(posts).where(posts.c.claimed_by.is_not(None), until > now + lease)
    connection.execute(claimed.values(claimed_until=now + lease))
    # “Publish now” still means now, although the clock was ahead when it was pressed.
    at_once = and_(posts.c.status == PostStatus.QUEUED.value, posts.c.scheduled_at <= posts.c.created_at)
    connection.execute(update(posts).where(at_once, posts.c.scheduled_at > now).values(scheduled_at=now))
    # Looks ask for items since the call began: too early is safer than too late.
    at_least = (
        (attempts.c.started_at, now + behind + _SMALL, now - longest),
        (attempts.c.unknown_since, now, now),
    )
    for moment, latest, otherwise in at_least:
        later = update(attempts).where(attempts.c.finished_at.is_(None), moment > latest)
        connection.execute(later.values({moment: _earlier(moment, back) if back else otherwise}))


def _earlier(moment: Column[Any], back: timedelta) -> Any:
    return type_coerce(type_coerce(moment, BigInteger) - back // _MS, moment.type)
