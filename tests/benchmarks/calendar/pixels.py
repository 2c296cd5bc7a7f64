"""The pixels of a screen: when did something last change?"""

import mmap
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

_EVERY_ROW: Final = 4
_ROW_BYTES: Final = 2_880 * 4
_SEEN_BYTES: Final = 1_440 * 4
_SEEN_ROWS: Final = 900
_POLL_S: Final = 0.002


class Pixels:
    """The upper left quarter of the picture that an X server keeps in a file."""

    def __init__(self, picture: Path) -> None:
        with picture.open("rb") as file:
            self._memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._rows = range(0, _SEEN_ROWS * _ROW_BYTES, _EVERY_ROW * _ROW_BYTES)
        self._start = len(self._memory) - 1_800 * _ROW_BYTES

    def seen(self) -> int:
        """A number that is another when anything has changed."""
        total = 0
        for row in self._rows:
            at = self._start + row
            total = zlib.crc32(self._memory[at : at + _SEEN_BYTES], total)
        return total

    def middle(self) -> int:
        """The same of the middle of what is seen: of a window there, neither its edges nor its foot."""
        total = 0
        for row in self._rows[len(self._rows) // 4 : len(self._rows) // 2]:
            at = self._start + row + _SEEN_BYTES // 4
            total = zlib.crc32(self._memory[at : at + _SEEN_BYTES // 2], total)
        return total

    def last_change(
        self, before: int, quiet_s: float, patience_s: float, is_at_work: Callable[[], bool]
    ) -> float:
        """Waits until something has changed and then nothing does for a while, and nobody is at work on it.

        ``before`` is what was seen. Gives the time of the last change (`perf_counter`). Raises TimeoutError.
        """
        began, changed = time.perf_counter(), None
        while changed is None or time.perf_counter() - changed < quiet_s or is_at_work():
            if time.perf_counter() - began > patience_s:
                raise TimeoutError("The screen does not change, or does not come to rest.")
            now = self.seen()
            if now != before:
                before, changed = now, time.perf_counter()
            time.sleep(_POLL_S)
        return changed

    def close(self) -> None:
        self._memory.close()
