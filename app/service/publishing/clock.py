"""The clocks that publishing uses, and waiting for wall time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from app.contract.enums import ConnectionPlatform
from app.service.clock import DatabaseClock, PlatformClock, system_clock

_LONGEST_NAP = timedelta(seconds=1)


class Timekeeper:
    """The system's wall clock, and sleeping.

    A monotonic sleep doesn't notice that a laptop was suspended, so no wait is longer than a second.
    """

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return system_clock()

    def latest(self) -> datetime:
        """Return the latest that the current time could be, for deadlines."""
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
