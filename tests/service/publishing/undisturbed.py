"""Time without the moments at which the machine did something else."""

import threading
import time
from datetime import timedelta
from typing import Final

_TICK: Final = 0.003
_LONGEST: Final = 0.02
"""Seconds that one tick may count for."""


class Undisturbed:
    """A steady clock that leaves out what its own thread slept too long for."""

    def __init__(self) -> None:
        self._counted = (0.0, time.monotonic())  # one object, so that nobody reads half of it
        threading.Thread(target=self._tick_forever, name="undisturbed", daemon=True).start()

    def elapsed(self) -> timedelta:
        """Time since the clock was made."""
        counted, ticked = self._counted
        return timedelta(seconds=counted + min(time.monotonic() - ticked, _LONGEST))

    def _tick_forever(self) -> None:
        while True:
            time.sleep(_TICK)
            now = time.monotonic()
            counted, ticked = self._counted
            self._counted = (counted + min(now - ticked, _LONGEST), now)


UNDISTURBED: Final = Undisturbed()
