"""A limit for what goes out, shared by everybody who sends."""

import threading
import time
from typing import Final

_TURNS_A_SECOND: Final = 20
_LEAST_BYTES: Final = 1_024


class Throttle:
    """Lets so many bytes a second pass; 0 is no limit. For any thread.

    It is fair because everybody asks for little at a time, and whoever asks first goes first.
    """

    def __init__(self) -> None:
        self._rate = 0
        self._free_at = 0.0
        self._changed = threading.Condition()

    @property
    def rate(self) -> int:
        """Bytes a second over all who send; 0 for no limit."""
        return self._rate

    def set_rate(self, rate: int) -> None:
        """Holds from now on, also for those who wait."""
        with self._changed:
            self._rate = rate
            self._free_at = time.monotonic()
            self._changed.notify_all()

    def portion(self, most: int) -> int:
        """How many bytes to ask for at a time, at most ``most``."""
        rate = self._rate
        return min(most, max(_LEAST_BYTES, rate // _TURNS_A_SECOND)) if rate else most

    def wait_turn(self, size: int) -> None:
        """Blocks until so many bytes may go out."""
        with self._changed:
            if not self._rate:
                return
            turn = max(time.monotonic(), self._free_at)
            self._free_at = turn + size / self._rate
            rate = self._rate
            self._changed.wait_for(lambda: self._rate != rate, timeout=turn - time.monotonic())
