"""Whether the service is reachable, when to retry, and the delay it requested."""

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from app.client import (
    CertificateRejected,
    ClientError,
    RateLimited,
    ServiceUnreachable,
    TimedOut,
    Unauthorized,
)
from app.workspace.clock import Clock, Pace
from app.workspace.problems import problem_of

_AGAIN_AFTER_S: Final = 60.0
"""Delay after which a service is called again even if it requested a longer one, in s.

It equals the longest pause after a failed call, so no response stops the sync for longer.
"""
_LONGEST_S: Final = 300 * 86_400.0
"""Maximum delay in s, so that its end can be shown without a year."""
_CAUGHT_UP_S = 2.0
"""Time in which a stream that opened replays the events it missed, in s."""


class Asked:
    """A requested delay, by wall time, which continues in sleep, and loop time, which is never set back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.forget()

    @property
    def wait(self) -> float:
        """Seconds until the next call makes sense; 0 if no delay was requested or it has passed."""
        here = self._again_at - asyncio.get_running_loop().time() if self._again_at else 0.0
        return max(0.0, min(here, (self._until - self._clock()) / 1_000))

    @property
    def until(self) -> int | None:
        """Unix time in ms; None if no delay was requested or it has passed."""
        return self._until if self._until > self._clock() else None

    def note(self, seconds: float) -> None:
        """Note that the service requested a delay, in s."""
        self._until = self._clock() + round(min(seconds, _LONGEST_S) * 1_000)
        self._again_at = asyncio.get_running_loop().time() + min(seconds, _AGAIN_AFTER_S)

    def forget(self) -> None:
        """Forget the delay: the service accepts calls again, or the user retries."""
        self._until, self._again_at = 0, 0.0


class Link:
    """The connection to the service, shared by all calls.

    ``problem`` is a message if the user has to act; an unreachable service is only offline.
    ``trouble`` says why the last call failed; None if it succeeded.
    ``blocked``: the key was refused, so nothing is sent until a request succeeds.
    """

    def __init__(self, pace: Pace, clock: Clock, on_change: Callable[[], None]) -> None:
        self.connected = False
        self.blocked = False
        self.problem: str | None = None
        self.trouble: str | None = None
        self._held_up: str | None = None
        self._followed_since: float | None = None
        self._pace = pace
        self._on_change = on_change
        self._failures = 0
        self._limited_since: float | None = None
        self._not_before = 0.0
        self._asked = Asked(clock)
        self._heard_at = asyncio.get_running_loop().time()
        self._open_since: list[float] = []
        self._broke_at: float | None = None
        self._is_silent = False
        self._look: asyncio.TimerHandle | None = None
        self._told: tuple[bool, bool, str | None, str | None, int | None] = (False, False, None, None, None)

    @property
    def wait(self) -> float:
        """Seconds until the next call makes sense."""
        return max(0.0, self._not_before - asyncio.get_running_loop().time(), self._asked.wait)

    @property
    def asked_until(self) -> int | None:
        """End of the delay that the service requested, as a Unix time in ms; None without one."""
        return self._asked.until

    @property
    def is_followed(self) -> bool:
        """Whether the stream of changes is open."""
        return self._followed_since is not None

    @property
    def is_current(self) -> bool:
        """Whether the stream has been open long enough to have replayed all missed changes."""
        since = self._followed_since
        return since is not None and asyncio.get_running_loop().time() - since >= _CAUGHT_UP_S

    @property
    def quiet_for(self) -> float:
        """Seconds since the last response or event from the service."""
        return asyncio.get_running_loop().time() - self._heard_at

    @property
    def is_silent(self) -> bool:
        """Whether a response or the stream has been missing for longer than usual."""
        return self._is_silent

    def heard(self) -> None:
        """Note a response or event from the service."""
        self._heard_at = asyncio.get_running_loop().time()
        if self._is_silent:
            self._look_at_silence()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Watch a running call whose response may be missing."""
        began = asyncio.get_running_loop().time()
        self._open_since.append(began)
        self._look_at_silence()
        try:
            yield
        finally:
            self._open_since.remove(began)
            self._look_at_silence()

    def close(self) -> None:
        """Stop watching."""
        if self._look is not None:
            self._look.cancel()
            self._look = None

    def _look_at_silence(self) -> None:
        """Notify listeners when a response is overdue, and when the service is back."""
        self.close()
        now, quiet_at = asyncio.get_running_loop().time(), self._heard_at + self._pace.silence
        times = [max(began + self._pace.answer, quiet_at) for began in self._open_since[:1]]
        if self._broke_at is not None and self._broke_at >= self._heard_at:
            times.append(self._broke_at + self._pace.broken)
        left = min(times) - now if times else None
        is_silent = left is not None and left <= 0
        if left is not None and left > 0:
            self._look = asyncio.get_running_loop().call_later(left, self._look_at_silence)
        if is_silent != self._is_silent:
            self._is_silent = is_silent
            self._on_change()

    def follow(self, *, followed: bool) -> None:
        """Set whether the stream of changes is open."""
        now = asyncio.get_running_loop().time()
        if followed:
            self._broke_at = None
        elif self._followed_since is not None:
            self._broke_at = now
        self._followed_since = now if followed else None
        self._look_at_silence()

    def succeeded(self) -> None:
        """Note a successful call."""
        self._failures = 0
        self._limited_since = None
        self.retry_now()
        self._set(connected=True, blocked=False, problem=None, trouble=None)

    def failed(self, error: ClientError) -> None:
        """Note a failure that concerns all calls."""
        self._failures += 1
        delay = min(self._pace.backoff_max, self._pace.backoff * 2.0 ** min(self._failures - 1, 16))
        delay *= random.uniform(0.5, 1.0)  # noqa: S311  spreads clients, keeps no secret
        self._asked.forget()
        if isinstance(error, RateLimited) and error.retry_after is not None:
            self._asked.note(error.retry_after)  # the longer of both waits counts
        now = asyncio.get_running_loop().time()
        self._not_before = now + delay
        refused = isinstance(error, Unauthorized)
        away = isinstance(error, ServiceUnreachable | TimedOut)
        passing = self._is_short_limit(error, now) or (away and not isinstance(error, CertificateRejected))
        self._set(
            connected=not (refused or away),
            blocked=refused,
            problem=None if passing else problem_of(error).text,
            trouble=problem_of(error).text,
        )

    def _is_short_limit(self, error: ClientError, now: float) -> bool:
        """Whether the service requests delays, but not for so long that something must be wrong."""
        if not isinstance(error, RateLimited):
            self._limited_since = None
            return False
        self._limited_since = now if self._limited_since is None else self._limited_since
        return now - self._limited_since < self._pace.limited

    def hold_up(self, why: str | None) -> None:
        """Set why a change keeps failing although requests succeed; None if all changes arrive."""
        if why != self._held_up:
            before, self._held_up = self._held_up, why
            problem = None if self.problem == before else self.problem
            self._set(connected=self.connected, blocked=self.blocked, problem=problem, trouble=self.trouble)

    def retry_now(self) -> None:
        """Retry now, at the user's request."""
        self._not_before = 0.0
        self._asked.forget()

    def _set(self, *, connected: bool, blocked: bool, problem: str | None, trouble: str | None) -> None:
        problem = problem or self._held_up
        self.connected, self.blocked, self.problem, self.trouble = connected, blocked, problem, trouble
        now = connected, blocked, problem, trouble, self.asked_until
        if now != self._told:
            self._told = now
            self._on_change()
