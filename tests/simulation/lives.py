"""A program that lives, stands still, has a clock of its own, and dies at any await."""

import asyncio
import math
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NoReturn, TypeVar

from tests.simulation.loop import SimulatedLoop, owner

T = TypeVar("T")

START: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class DeathError(BaseException):
    """The program is dead: what still runs of it has no effect on anything outside."""


class WorldClock:
    """The true time, which platforms and people have."""

    def __init__(self, loop: SimulatedLoop, start: datetime = START) -> None:
        self._loop = loop
        self._start = start
        self._seconds, self._now = 0.0, self.at(0.0)

    def now(self) -> datetime:
        seconds = self._loop.time()
        if seconds != self._seconds:  # programs look many times at the same moment
            self._seconds, self._now = seconds, self.at(seconds)
        return self._now

    def at(self, seconds: float) -> datetime:
        """The true time so many seconds after the world began."""
        moment = self._start + timedelta(seconds=seconds)
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)

    def seconds(self) -> float:
        """The same since the epoch."""
        return self.now().timestamp()

    def steady(self) -> float:
        """Seconds since the world began."""
        return self._loop.time()


class Life:
    """One run of a program. Whatever it does to the world outside goes through ``passes`` first.

    Attributes:
        clock_off: By how much its machine's clock is wrong.
    """

    def __init__(self, name: str, clock: WorldClock, clock_off: timedelta, died: Callable[[], None]) -> None:
        self.name = name
        self.clock_off = clock_off
        self.is_dead = False
        self._failed_at = -math.inf
        self._clock = clock
        self._died = died
        self._tasks: list[asyncio.Task[Any]] = []
        self._still_until = 0.0
        self._suspended: list[tuple[float, float]] = []
        """When its machine was suspended, and until when."""

    def world_now(self) -> datetime:
        """The true time, which the program cannot see."""
        return self._clock.now()

    def machine(self) -> datetime:
        """What the machine's clock on the wall says."""
        return self._clock.now() + self.clock_off

    def steady(self, at: float | None = None) -> float:
        """A clock that nobody sets, and that stands still while the machine is suspended.

        ``at`` is a moment by the event loop's clock, which goes on meanwhile; without, it's now.
        """
        moment = self._clock.steady() if at is None else at
        if not self._suspended:
            return moment
        return moment - sum(max(min(moment, until) - since, 0.0) for since, until in self._suspended)

    def cannot_write(self) -> None:
        """Notes that it couldn't."""
        self._failed_at = self._clock.steady()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begins a task of the program; tasks that it begins belong to it as well."""
        return _begun(work, self)

    def has(self, task: asyncio.Task[Any]) -> None:
        self._tasks.append(task)
        if len(self._tasks) > 2000:
            self._tasks = [one for one in self._tasks if not one.done()]

    def stand_still(self, seconds: float, *, suspended: bool = False) -> None:
        """Nothing of it goes on for so long."""
        now = self._clock.steady()
        self._still_until = max(self._still_until, now + seconds)
        if suspended:
            since = max(now, self._suspended[-1][1]) if self._suspended else now
            self._suspended.append((since, max(since, now + seconds)))

    @property
    def still_for(self) -> float:
        """For how many seconds it still stands still; negative: for how long it has not.

        In whole microseconds: a loop ends timers up to a nanosecond early, and for as long as others are
        ready, its clock would not move.
        """
        left = self._still_until - self._clock.steady()
        return left if left < -1 else round(left, 6)  # rounding takes longer than all the rest

    @property
    def woke_at(self) -> float:
        """When it last went on after it had stood still, in seconds since the world began."""
        return self._still_until

    @property
    def is_awake(self) -> bool:
        """Whether it does anything at the moment."""
        return not self.is_dead and self.still_for <= 0

    def couldnt_go_on(self, within: float) -> bool:
        """Whether it stood still, or couldn't write, at any time in so many seconds before now."""
        return max(self._still_until, self._failed_at) > self._clock.steady() - within

    def die(self) -> None:
        """Ends every task where it stands. Whatever they do to clean up comes to nothing."""
        if self.is_dead:
            return
        self.is_dead = True
        for task in self._tasks:
            task.cancel()
        self._died()

    def perish(self) -> NoReturn:
        self.die()
        raise DeathError

    def must_live(self) -> None:
        if self.is_dead:
            raise DeathError

    async def passes(self) -> None:
        """Returns when the program goes on; never when it is dead."""
        self.must_live()
        while (left := self.still_for) > 0:
            await _by_the_world(left)
            self.must_live()


async def _by_the_world(seconds: float) -> None:
    """Sleep by the world's time, which no suspend stops."""
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()
    timer = loop.call_later(seconds, _end, over, context=Context())
    try:
        await over
    finally:
        timer.cancel()


def _end(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


def owned_tasks(
    loop: asyncio.AbstractEventLoop,
    coroutine: Generator[Any, None, Any] | Coroutine[Any, Any, Any],
    context: Context | None = None,
) -> asyncio.Task[Any]:
    """A task factory: each task belongs to the program that began it."""
    task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, context=context)
    life = (context or copy_context()).get(owner)
    if life is not None:
        life.has(task)
        if life.is_dead:
            task.cancel()
    return task


def outside(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Begins a task that belongs to no program: what is under way at a platform goes on."""
    return _begun(work, None)


def _begun(work: Coroutine[Any, Any, T], life: Life | None) -> asyncio.Task[T]:
    """A task that knows nothing of where it was begun."""
    context = Context()
    context.run(owner.set, life)
    return asyncio.get_running_loop().create_task(work, context=context)
