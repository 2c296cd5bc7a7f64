"""Detecting stalled transfers, also on a computer that was asleep."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

STALLED_S: Final = 60
"""How long a transfer may stall, in s. Its total time isn't limited."""
AWAKE_S: Final = 15
"""How long it may stall after the computer slept, in s. Most connections don't survive that."""
_SLEPT_S: Final = 5
"""If wall time gains this much on the monotonic clock, in s, the computer was asleep."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Clocks in seconds: ``steady`` never jumps and usually stops during sleep; ``wall`` continues."""

    steady: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


class Movement:
    """Tracks the progress of a transfer. Check it several times per second."""

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks
        self._sent = -1
        self._until = 0.0
        self._ahead = self._wall_ahead()

    def require(self, sent: int) -> None:
        """Raise TimeoutError if the number of sent bytes hasn't changed for too long."""
        now, ahead = self._clocks.steady(), self._wall_ahead()
        if sent != self._sent:
            self._sent, self._until = sent, now + STALLED_S
        if ahead - self._ahead > _SLEPT_S:
            self._until = now + AWAKE_S
        self._ahead = ahead
        if now > self._until:
            raise TimeoutError("the upload stalled")

    def _wall_ahead(self) -> float:
        return self._clocks.wall() - self._clocks.steady()
