"""The programs of a world: each starts again after every death, until the world is over."""

import asyncio
import random
from collections.abc import Callable, Coroutine, Sequence
from datetime import timedelta
from typing import Any, Final, Generic, TypeVar

from tests.simulation.faults import Fault, Faults, Kind, Site
from tests.simulation.lives import Life, WorldClock, outside

P = TypeVar("P")

_MOMENT_S: Final = 4.0
_CLOCKS_S: Final = (-3600.0, -40.0, -6.0, 5.0, 30.0, 600.0, 7 * 3600.0)


def _suspend_s(fault: Fault) -> float:
    return fault.between(5, 1_800)


class Fleet(Generic[P]):
    """Programs, and the faults that strike them at moments.

    Args:
        start: Starts a program in its life.
        size: How many run simultaneously.
        clock: The true time.
        faults: What goes wrong.
        chance: How long things last.
        note: Takes what happened into the trace.
        stop: Ends a program in good order; without, it is never asked to.
        between: Does to the store what only happens while no program runs; without, nothing does.
        update: Brings the store to its next version, while the others go on; without, nothing does.
        moment_s: Seconds between the moments at which a program may be struck.
        suspend_s: How long a suspend lasts, in seconds.
    """

    def __init__(
        self,
        start: Callable[[Life], P],
        size: int,
        *,
        clock: WorldClock,
        faults: Faults,
        chance: random.Random,
        note: Callable[..., None],
        stop: Callable[[P], Coroutine[Any, Any, object]] | None = None,
        between: Callable[[Fault, Life], None] | None = None,
        update: Callable[[], None] | None = None,
        moment_s: float = _MOMENT_S,
        suspend_s: Callable[[Fault], float] = _suspend_s,
    ) -> None:
        self.deaths = 0
        self._stop_program = stop
        self._between = between
        self._update = update
        self._moment_s = moment_s
        self._suspend_s = suspend_s
        self._start_program = start
        self._clock = clock
        self._faults = faults
        self._chance = chance
        self._note = note
        self._running: list[tuple[Life, P] | None] = [None] * size
        self._clock_off = [timedelta()] * size
        self._die_again: set[int] = set()
        self._is_over = False
        self._moments: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Starts every program, and from now on they may be struck."""
        for slot in range(len(self._running)):
            self._start(slot)
        self._moments = outside(self._strike_at_moments())

    def calm(self) -> None:
        """Nothing goes wrong any more; clocks are right again."""
        self._faults.ended = True
        if self._moments is not None:
            self._moments.cancel()
        for slot in range(len(self._running)):
            self._set_clock(slot, timedelta())

    @property
    def is_right(self) -> bool:
        """Whether no clock is wrong."""
        return not any(self._clock_off)

    @property
    def woke_at(self) -> float:
        """When the last program went on that had stood still, in seconds since the world began."""
        return max((running[0].woke_at for running in self._running if running is not None), default=0.0)

    def end(self) -> None:
        """Ends every program for good."""
        self._is_over = True
        for running in filter(None, self._running):
            running[0].die()

    def any(self) -> P | None:
        """One of the programs that run."""
        alive = self.alive()
        return self._chance.choice(alive) if alive else None

    def alive(self) -> Sequence[P]:
        return [running[1] for running in self._running if running is not None]

    def _start(self, slot: int) -> None:
        def died() -> None:
            self._note(life.name, "died")
            self._running[slot] = None
            if not self._is_over:
                self.deaths += 1
                outside(self._start_again(slot))

        life = Life(f"worker-{slot}", self._clock, self._clock_off[slot], died)
        self._running[slot] = life, self._start_program(life)
        self._note(life.name, "started")

    async def _start_again(self, slot: int) -> None:
        await asyncio.sleep(round(self._chance.uniform(0.3, 8), 3))
        self._start(slot)
        if slot in self._die_again:
            self._die_again.discard(slot)
            await asyncio.sleep(round(self._chance.uniform(0.05, 12), 3))
            if (running := self._running[slot]) is not None:
                running[0].die()

    async def _strike_at_moments(self) -> None:
        while True:
            await asyncio.sleep(self._moment_s)
            fault = self._faults.at(Site.MOMENT)
            if fault is not None:
                # Not at the very moment at which everything else happens.
                await asyncio.sleep(round(fault.size * 3.3, 3))
                slot = int(fault.size * 1000) % len(self._running)
                self._note("moment", slot, fault.kind)
                if (running := self._running[slot]) is not None:
                    self._strike(slot, *running, fault)

    def _strike(self, slot: int, life: Life, program: P, fault: Fault) -> None:
        match fault.kind:
            case Kind.DIE:
                life.die()
            case Kind.STOP if self._stop_program is not None:
                # Its starter sees it end; until then it may die as at any time.
                life.start(self._stop_program(program)).add_done_callback(lambda _: life.die())
            case Kind.DIE_TWICE:
                self._die_again.add(slot)
                life.die()
            case Kind.OLD_COPY | Kind.OLD_COPY_TOLD | Kind.STEPS_LOST if self._between is not None:
                life.die()
                self._between(fault, life)
            case Kind.UPDATE if self._update is not None:
                life.die()
                self._update()
            case Kind.STALL:
                life.stand_still(fault.between(1, 200))
            case Kind.SUSPEND if life.is_awake:
                life.stand_still(self._suspend_s(fault), suspended=True)
            case Kind.CLOCK | Kind.CLOCK_BETWEEN:
                self._set_clock(slot, timedelta(seconds=_CLOCKS_S[int(fault.size * len(_CLOCKS_S))]))
                outside(self._set_right(slot, fault.between(20, 400)))
                if fault.kind is Kind.CLOCK_BETWEEN:
                    life.die()

    async def _set_right(self, slot: int, after: float) -> None:
        await asyncio.sleep(after)
        self._set_clock(slot, timedelta())

    def _set_clock(self, slot: int, off: timedelta) -> None:
        self._clock_off[slot] = off
        if (running := self._running[slot]) is not None:
            running[0].clock_off = off
