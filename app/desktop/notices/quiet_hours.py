"""Hours of the day in which notifications wait."""

from datetime import time
from typing import Final

from app.desktop.notices.switches import Memory

_ON, _OFF = "on", "off"
_CHOSEN: Final = "notices/quiet"
_BEGIN: Final = "notices/quiet_begin"
_END: Final = "notices/quiet_end"


class QuietHours:
    """From one time of the day to another, often over midnight; off until chosen."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @property
    def is_on(self) -> bool:
        """Whether there are any."""
        return self._memory.recall(_CHOSEN) == _ON

    @property
    def begin(self) -> time:
        """When they begin."""
        return self._time(_BEGIN, time(22))

    @property
    def end(self) -> time:
        """When they are over."""
        return self._time(_END, time(8))

    def turn(self, *, on: bool) -> None:
        """Turn them on or off; the times are kept."""
        self._memory.remember(_CHOSEN, _ON if on else _OFF)

    def choose(self, begin: time, end: time) -> None:
        """Choose when they begin and end; two equal times leave no quiet hours."""
        self._memory.remember(_BEGIN, begin.isoformat("minutes"))
        self._memory.remember(_END, end.isoformat("minutes"))

    def include(self, now: time) -> bool:
        """Whether a time of the day is in them."""
        if not self.is_on:
            return False
        begin, end = self.begin, self.end
        return begin <= now < end if begin <= end else now >= begin or now < end

    def _time(self, name: str, usual: time) -> time:
        try:
            return time.fromisoformat(str(self._memory.recall(name)))
        except ValueError:
            return usual
