"""The clocks of publishing, and waiting for wall time."""

import asyncio
import time
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from app.contract.enums import ConnectionPlatform
from app.service.clock import DatabaseClock, system_clock

_LONGEST_NAP: Final = timedelta(seconds=1)


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

    @property
    def is_certain(self) -> bool:
        """Whether posts may be sent and given up by this clock now; if not, `check` makes it certain soon."""
        return True

    async def check(self) -> bool:
        """Find out the time if it isn't certain; return whether it is now."""
        return True

    async def settled(self) -> datetime:
        """Return the current time once it's certain."""
        while not await self.check():
            await self.sleep(_LONGEST_NAP)
        return self.now()

    async def certainly(self, moment: datetime) -> datetime:
        """Wait until it's certainly ``moment``; return the current time."""
        while (now := await self.settled()) < moment:
            await self.sleep_until(moment)
        return now

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

    async def wait(self, event: asyncio.Event, longest: timedelta, *, nap: timedelta | None = None) -> None:
        """Return when ``event`` is set, after ``longest``, or after ``nap``: one second by default."""
        longest = min(longest, _LONGEST_NAP if nap is None else nap)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, longest.total_seconds())):
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
