"""Waiting for wall time."""

import asyncio
import time
from contextlib import suppress
from datetime import datetime, timedelta

from app.service.clock import system_clock

_LONGEST_NAP = timedelta(seconds=1)


class Timekeeper:
    """The wall clock and sleep.

    A monotonic sleep does not see that a laptop was suspended, so no wait is longer than a second.
    """

    def now(self) -> datetime:
        """The time, aware, in UTC."""
        return system_clock()

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
