"""Token buckets. Each holds a minute's worth of calls and refills continuously."""

import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

WINDOW_S: Final = 60.0
_SWEEP_FROM: Final = 1_024


@dataclass(frozen=True, slots=True)
class Level:
    """Fill level of a bucket.

    Attributes:
        tokens: Whole calls left.
        full_in: Seconds until it's full again.
    """

    tokens: int
    full_in: float


class TokenBuckets:
    """Buckets by name. A bucket is a number, the time when it's full again; full ones use no memory.

    Not thread-safe: use it on the event loop's thread. ``now`` returns monotonic seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._full_at: dict[Hashable, float] = {}
        self._sweep_at = _SWEEP_FROM

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, name: Hashable, size: int) -> float:
        """Take a token from a bucket of ``size``. Returns 0, or the seconds to wait if it's empty."""
        now = self._now()
        full_at = max(self._full_at.get(name, now), now) + WINDOW_S / size
        missing = full_at - now - WINDOW_S
        if missing > 0 and not math.isclose(full_at - now, WINDOW_S):
            return missing
        self._full_at[name] = full_at
        self._sweep(now)
        return 0.0

    def level(self, name: Hashable, size: int) -> Level:
        """Return the fill level of a bucket of ``size``."""
        now = self._now()
        full_in = max(self._full_at.get(name, now) - now, 0.0)
        tokens = (WINDOW_S - full_in) * size / WINDOW_S
        return Level(math.floor(tokens + 1e-9), full_in)

    def _sweep(self, now: float) -> None:
        """Drop full buckets whenever their number has doubled since the last sweep."""
        if len(self._full_at) < self._sweep_at:
            return
        self._full_at = {name: full_at for name, full_at in self._full_at.items() if full_at > now}
        self._sweep_at = max(_SWEEP_FROM, 2 * len(self._full_at))
