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
_TRIES: Final = 3
_UNPROVEN_PATIENCE_S: Final = 10.0
"""How long an answer is waited for while nothing is known of the clock."""


class PlatformClock:
    """The time of an embedded service.

    A platform's answer tells its time at some moment of the call, to a second. When our clock was surely
    later than that even before the call, it is ahead, and this clock shows the platform's time instead. It is
    never moved forward: a platform whose clock is wrong makes posts late, never early. Where several
    platforms were heard, the one that is closest to our clock counts. How far our clock is behind each of
    them is known, too, for what must not be done later than a platform allows.

    Without any answer it is the computer's clock.
    """

    def __init__(self, machine: Clock = system_clock, steady: Callable[[], float] = time.monotonic) -> None:
        self._machine = machine
        self._steady = steady
        self._leads: dict[ConnectionPlatform, timedelta] = {}
        self._lead = timedelta()
        self._behind: dict[ConnectionPlatform, timedelta] = {}
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

    def behind(self, platform: ConnectionPlatform) -> timedelta:
        """How far the computer's clock is behind the platform's, as far as that is proven."""
        return self._behind.get(platform, timedelta())

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
            self._behind.clear()
        is_ahead = now - took - _SECOND - theirs > _TOLERATED
        self._leads[platform] = now - theirs if is_ahead else timedelta()
        self._behind[platform] = theirs - now if theirs - now > _TOLERATED else timedelta()
        self._heard_at = now, steady
        self._follow(min(self._leads.values()))

    async def check(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Has a platform asked for the time unless one was heard lately. Waits for some seconds at most.

        While nothing is known, it is asked each time: where there was no network a moment ago there may be
        one now, and what is sent then must not go by a clock that is ahead.
        """
        if self._asking is None:
            now = self._steady()
            is_known = self._is_known()
            is_asked = is_known and now - self._asked_at < _ASK_AGAIN.total_seconds()
            if is_asked or (is_known and self._is_fresh()):
                return
            self._asked_at = now
            longest = _PATIENCE_S if is_known else _UNPROVEN_PATIENCE_S
            self._asking = asyncio.create_task(self._ask(ask, longest))
        # Who comes while a platform is asked waits for its answer, too.
        await asyncio.shield(self._asking)

    async def _ask(self, ask: Callable[[], Awaitable[None]], longest: float) -> None:
        try:
            for _ in range(_TRIES):
                try:
                    async with asyncio.timeout(longest):
                        await ask()
                except (PlatformError, TimeoutError) as error:
                    _log.info("no platform could be asked for the time")
                    if isinstance(error, PlatformError) and error.code == "unreachable":
                        return  # nothing else can be sent either
                # After a jump one lost or slow answer must not let a post go by a clock that is ahead.
                if self._heard_at is None or self._is_known():
                    return
        finally:
            self._asking = None

    def _is_known(self) -> bool:
        """A platform was heard, and the clock has not jumped since."""
        return self._heard_at is not None and not self._has_jumped(self._machine(), self._steady())

    def _is_fresh(self) -> bool:
        return self._heard_at is not None and self._steady() - self._heard_at[1] < _GOOD_FOR.total_seconds()

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
