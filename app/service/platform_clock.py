"""The computer's clock, held back while platforms prove that it is ahead."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

import structlog

from app.contract.enums import ConnectionPlatform
from app.platforms.base import PlatformError
from app.service.clock import Clock, system_clock

_log = structlog.get_logger(__name__)

_SECOND: Final = timedelta(seconds=1)
"""The resolution of a ``Date`` header."""
_TOLERATED: Final = timedelta(seconds=1)
_JUMP: Final = timedelta(seconds=2)
_SLOWEST_ANSWER: Final = timedelta(seconds=10)
"""An answer that took longer says too little about the time."""
_GOOD_FOR: Final = timedelta(minutes=10)
_ASK_AGAIN: Final = timedelta(seconds=30)
_PATIENCE_S: Final = 2.0


class PlatformClock:
    """The time of an embedded service.

    A platform's answer tells its time at some moment of the call, to a second. When our clock was surely
    later than that even before the call, it is ahead, and this clock shows the platform's time instead. It is
    never moved forward: a platform whose clock is wrong makes posts late, never early. Where several
    platforms were heard, the one that is closest to our clock counts.

    Without any answer it is the computer's clock.
    """

    def __init__(self, machine: Clock = system_clock, steady: Callable[[], float] = time.monotonic) -> None:
        self._machine = machine
        self._steady = steady
        self._leads: dict[ConnectionPlatform, timedelta] = {}
        self._lead = timedelta()
        self._heard_at: tuple[datetime, float] | None = None
        self._asked_at = float("-inf")
        self._asking: asyncio.Task[None] | None = None

    def __call__(self) -> datetime:
        """The time; never later than what platforms prove."""
        return self._machine() - self._lead

    @property
    def lead(self) -> timedelta:
        """How far the computer's clock is ahead, as far as that is proven."""
        return self._lead

    async def run(self) -> None:
        """Does nothing: this clock learns from the calls that are made anyway."""

    async def stop(self) -> None:
        """Does nothing."""

    def heard(self, platform: ConnectionPlatform, theirs: datetime, asked: float) -> None:
        """Takes the time in an answer that has just come to a call made at ``asked``, by the steady clock."""
        now, steady = self._machine(), self._steady()
        took = timedelta(seconds=steady - asked)
        if took > _SLOWEST_ANSWER:
            return
        if self._has_jumped(now, steady):
            self._leads.clear()
        is_ahead = now - took - _SECOND - theirs > _TOLERATED
        self._leads[platform] = now - theirs if is_ahead else timedelta()
        self._heard_at = now, steady
        self._follow(min(self._leads.values()))

    async def check(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Has a platform asked for the time unless one was heard lately. Waits for a moment at most."""
        if self._asking is None:
            now = self._steady()
            if self._is_fresh() or now - self._asked_at < _ASK_AGAIN.total_seconds():
                return
            self._asked_at = now
            self._asking = asyncio.create_task(self._ask(ask))
        # Who comes while a platform is asked waits for its answer, too.
        await asyncio.shield(self._asking)

    async def _ask(self, ask: Callable[[], Awaitable[None]]) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await ask()
        except (PlatformError, TimeoutError):
            _log.info("no platform could be asked for the time")
        finally:
            self._asking = None

    def _is_fresh(self) -> bool:
        if self._heard_at is None:
            return False
        now, steady = self._machine(), self._steady()
        return steady - self._heard_at[1] < _GOOD_FOR.total_seconds() and not self._has_jumped(now, steady)

    def _has_jumped(self, now: datetime, steady: float) -> bool:
        """Whether the computer was suspended, or its clock was set, since a platform was heard."""
        if self._heard_at is None:
            return False
        wall, before = self._heard_at
        return abs((now - wall) - timedelta(seconds=steady - before)) > _JUMP

    def _follow(self, lead: timedelta) -> None:
        if abs(lead - self._lead) > _JUMP:
            _log.warning(
                "the computer's clock is ahead; posts are published by the platforms' time"
                if lead
                else "the computer's clock agrees with the platforms again",
                seconds=lead.total_seconds(),
            )
            self._lead = lead
        elif not lead:
            self._lead = lead
