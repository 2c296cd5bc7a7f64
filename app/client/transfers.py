"""Files as request bodies, limited by the throttle, and detecting stalled transfers."""

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final, Protocol

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


Progress = Callable[[int], None]
"""Receives the number of bytes handed over so far."""

_PIECE_BYTES: Final = 256 * 1024


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes | None: ...
    def close(self) -> None: ...


class FileBody:
    """A file of ``size`` bytes, of which ``sent`` have been handed over. ``open`` and ``read`` block.

    ``problem`` is the error that occurred when reading the file.
    """

    def __init__(self, path: Path, throttle: Throttle) -> None:
        self.size = 0
        self.sent = 0
        self.problem: OSError | None = None
        self._path = path
        self._file: _Readable = BytesIO()
        self._throttle = throttle
        self._read_so_far = 0
        self._lock = threading.Lock()
        self._is_closed = False

    def open(self) -> None:
        """Open the file.

        Raises OSError. A cancelled caller may call ``close`` from another thread meanwhile.
        """
        with self._held():
            if not self._is_closed:
                opened = self._path.open("rb", buffering=0)
                self._file = opened
                self.size = opened.seek(0, os.SEEK_END)
                opened.seek(0)

    def close(self) -> None:
        """Close the file without waiting. If it's being opened or read, close it afterwards."""
        self._is_closed = True
        if self._lock.acquire(blocking=False):
            try:
                self._file.close()
            finally:
                self._lock.release()

    @contextmanager
    def _held(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        finally:
            if self._is_closed:
                self.close()

    def read(self) -> bytes:
        """Return the next chunk when the throttle allows it; empty at the end.

        Raises OSError and stores it in ``problem``, because HTTP libraries replace it with their own.
        """
        self.sent = self._read_so_far
        try:
            with self._held():
                piece = self._file.read(self._throttle.portion(_PIECE_BYTES)) or b""
            self._count(piece)
        except (OSError, ValueError) as error:  # ValueError: the file was closed
            self.problem = error if isinstance(error, OSError) else OSError("the file was closed")
            raise self.problem from error
        self._throttle.wait_turn(len(piece))
        return piece

    def _count(self, piece: bytes) -> None:
        self._read_so_far += len(piece)
        if self._read_so_far > self.size or (not piece and self._read_so_far < self.size):
            raise OSError("the file changed while it was read")

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the whole file. Raises like ``read``."""
        while piece := await asyncio.to_thread(self.read):
            yield piece


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
