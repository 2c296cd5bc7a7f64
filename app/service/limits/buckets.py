"""Token buckets: each holds a minute's worth of calls and fills evenly."""

import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

WINDOW_S: Final = 60.0
_SWEEP_FROM: Final = 1_024


@dataclass(frozen=True, slots=True)
class Level:
    """How full a bucket is.

    Attributes:
        tokens: Whole calls that are left.
        full_in: Seconds until all of them are there again.
    """

    tokens: int
    full_in: float


class TokenBuckets:
    """Buckets by name. A bucket is one number, the time when it is full again; a full one takes no room.

    Not thread-safe: for the event loop's thread. ``now`` gives seconds that never go back.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._full_at: dict[Hashable, float] = {}
        self._sweep_at = _SWEEP_FROM

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, name: Hashable, size: int) -> float:
        """Takes a token out of a bucket of ``size``; gives 0, or the seconds to wait when there is none."""
        now = self._now()
        full_at = max(self._full_at.get(name, now), now) + WINDOW_S / size
        missing = full_at - now - WINDOW_S
        if missing > 0 and not math.isclose(full_at - now, WINDOW_S):
            return missing
        self._full_at[name] = full_at
        self._sweep(now)
        return 0.0

    def level(self, name: Hashable, size: int) -> Level:
        """How full a bucket of ``size`` is; takes nothing."""
        now = self._now()
        full_in = max(self._full_at.get(name, now) - now, 0.0)
        tokens = (WINDOW_S - full_in) * size / WINDOW_S
        return Level(math.floor(tokens + 1e-9), full_in)

    def _sweep(self, now: float) -> None:
        """Forgets full buckets, each time that twice as many have come together as were left before."""
        if len(self._full_at) < self._sweep_at:
            return
        self._full_at = {name: full_at for name, full_at in self._full_at.items() if full_at > now}
        self._sweep_at = max(_SWEEP_FROM, 2 * len(self._full_at))
