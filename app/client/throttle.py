"""A shared rate limit for uploads."""

import threading
import time
from typing import Final

_TURNS_A_SECOND: Final = 20
_LEAST_BYTES: Final = 1_024


class Throttle:
    """Limits all uploads to a number of bytes per second; 0 means no limit. Thread-safe.

    It's fair because senders request small portions and are served in order.
    """

    def __init__(self) -> None:
        self._rate = 0
        self._free_at = 0.0
        self._changed = threading.Condition()

    @property
    def rate(self) -> int:
        """Bytes per second for all senders; 0 for no limit."""
        return self._rate

    def set_rate(self, rate: int) -> None:
        """Change the rate, also for waiting senders."""
        with self._changed:
            self._rate = rate
            self._free_at = time.monotonic()
            self._changed.notify_all()

    def portion(self, most: int) -> int:
        """Return the number of bytes to request at a time, up to ``most``."""
        rate = self._rate
        return min(most, max(_LEAST_BYTES, rate // _TURNS_A_SECOND)) if rate else most

    def wait_turn(self, size: int) -> None:
        """Block until ``size`` bytes can be sent."""
        with self._changed:
            if not self._rate:
                return
            turn = max(time.monotonic(), self._free_at)
            self._free_at = turn + size / self._rate
            rate = self._rate
            self._changed.wait_for(lambda: self._rate != rate, timeout=turn - time.monotonic())
