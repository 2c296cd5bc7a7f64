"""Whether a transfer still moves; also on a computer that slept in the middle of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

STALLED_S: Final = 60
"""How long a transfer may stand still; as a whole it takes as long as it takes."""
AWAKE_S: Final = 15
"""The same after the computer slept: most connections do not outlive that."""
_SLEPT_S: Final = 5
"""So far wall time runs ahead of the processor's only while it sleeps."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Seconds: ``steady`` never jumps, and on most computers stands still while they sleep; ``wall`` does."""

    steady: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


class Movement:
    """Looked at some times a second."""

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks
        self._sent = -1
        self._until = 0.0
        self._ahead = self._wall_ahead()

    def require(self, sent: int) -> None:
        """Raises TimeoutError when the bytes sent have stayed the same for too long."""
        now, ahead = self._clocks.steady(), self._wall_ahead()
        if sent != self._sent:
            self._sent, self._until = sent, now + STALLED_S
        if ahead - self._ahead > _SLEPT_S:
            self._until = now + AWAKE_S
        self._ahead = ahead
        if now > self._until:
            raise TimeoutError("the upload stood still")

    def _wall_ahead(self) -> float:
        return self._clocks.wall() - self._clocks.steady()
