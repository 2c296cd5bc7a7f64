"""Detecting the last change of a screen's pixels."""

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
    """The upper left quarter of an X server's picture in a file."""

    def __init__(self, picture: Path) -> None:
        with picture.open("rb") as file:
            self._memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._rows = range(0, _SEEN_ROWS * _ROW_BYTES, _EVERY_ROW * _ROW_BYTES)
        self._start = len(self._memory) - 1_800 * _ROW_BYTES

    def seen(self) -> int:
        """Return a number that differs after any change."""
        total = 0
        for row in self._rows:
            at = self._start + row
            total = zlib.crc32(self._memory[at : at + _SEEN_BYTES], total)
        return total

    def middle(self) -> int:
        """Like ``seen``, but only for the middle, without a window's edges and bottom."""
        total = 0
        for row in self._rows[len(self._rows) // 4 : len(self._rows) // 2]:
            at = self._start + row + _SEEN_BYTES // 4
            total = zlib.crc32(self._memory[at : at + _SEEN_BYTES // 2], total)
        return total

    def last_change(
        self, before: int, quiet_s: float, patience_s: float, is_at_work: Callable[[], bool]
    ) -> float:
        """Wait for a change, followed by a pause without changes and activity.

        ``before`` is the earlier ``seen``. Returns the time of the last change, by `perf_counter`. Raises
        TimeoutError.
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
