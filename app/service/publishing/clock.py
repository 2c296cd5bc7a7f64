"""Waiting for wall time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from app.contract.enums import ConnectionPlatform
from app.service.clock import DatabaseClock, PlatformClock, system_clock

_LONGEST_NAP = timedelta(seconds=1)


class Timekeeper:
    """The wall clock and sleep.

    A monotonic sleep does not see that a laptop was suspended, so no wait is longer than a second.
    """

    def now(self) -> datetime:
        """The time, aware, in UTC."""
        return system_clock()

    def latest(self) -> datetime:
        """The latest that it may be, for what must not be done any later."""
        return self.now()

    @property
    def problem(self) -> str | None:
        """Why nothing may be published by this clock; None where nothing speaks against it."""
        return None

    async def check(self, platform: ConnectionPlatform) -> None:
        """Makes sure that the clock is right, before anything is sent to a platform."""

    def behind(self, platform: ConnectionPlatform) -> timedelta:  # noqa: ARG002
        """How far the clock is behind a platform's, as far as that is known."""
        return timedelta()

    def elapsed(self) -> timedelta:
        """Time since an unknown moment, by a clock that never jumps; it may stand still during a suspend."""
        return timedelta(seconds=time.monotonic())

    async def sleep(self, length: timedelta) -> None:
        await asyncio.sleep(length.total_seconds())

    async def sleep_until(self, moment: datetime, longest: timedelta = timedelta.max) -> None:
        """Returns once wall time has reached ``moment``, wherever it jumped, or after ``longest``."""
        began = self.elapsed()
        while (left := min(moment - self.now(), longest - (self.elapsed() - began))) > timedelta():
            await self.sleep(min(left, _LONGEST_NAP))

    async def wait(self, event: asyncio.Event, longest: timedelta) -> None:
        """Returns when ``event`` is set, or after ``longest``, but at the latest after a second."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, min(longest, _LONGEST_NAP).total_seconds())):
                await event.wait()


class DatabaseTime(Timekeeper):
    """The time of processes that share a database."""

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
    """The time of a process that has its data alone; ``ask`` has a platform tell the time."""

    def __init__(self, clock: PlatformClock, ask: Callable[[ConnectionPlatform], Awaitable[None]]) -> None:
        self._clock = clock
        self._ask = ask

    def now(self) -> datetime:
        return self._clock()

    async def check(self, platform: ConnectionPlatform) -> None:
        await self._clock.check(lambda: self._ask(platform))

    def behind(self, platform: ConnectionPlatform) -> timedelta:
        return self._clock.behind(platform)
