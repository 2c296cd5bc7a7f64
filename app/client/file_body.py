"""Files as bodies of requests: read piece by piece, in threads, with an eye on whether they move."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

Progress = Callable[[int], None]
"""Hears how many bytes of a file have been handed over so far."""

STALLED_S: Final = 60
"""How long an upload may stand still; as a whole it takes as long as it takes."""
_PIECE_BYTES: Final = 512 * 1024


class FileBody:
    """A file of ``size`` bytes; ``open`` and ``close`` are blocking.

    ``limit`` is put off by every piece that is taken; ``problem`` is why the file could not be read.
    """

    def __init__(self, path: Path, progress: Progress | None) -> None:
        self.size = 0
        self.limit: asyncio.Timeout | None = None
        self.problem: OSError | None = None
        self._path = path
        self._file: BinaryIO = BytesIO()
        self._progress = progress
        self._lock = threading.Lock()
        self._is_closed = False

    def open(self) -> None:
        """Raises OSError. Whoever is cancelled meanwhile may close in another thread before this ends."""
        with self._lock:
            if not self._is_closed:
                self._file = self._path.open("rb")
                self.size = self._file.seek(0, os.SEEK_END)
                self._file.seek(0)

    def close(self) -> None:
        """Lets go of the file, also of one that is being opened."""
        with self._lock:
            self._is_closed = True
            self._file.close()

    async def pieces(self) -> AsyncIterator[bytes]:
        """The whole file. Raises OSError, which is also kept: those who send it make another error of it."""
        try:
            async for piece in self._read():
                yield piece
        except OSError as error:
            self.problem = error
            raise

    async def _read(self) -> AsyncIterator[bytes]:
        sent = 0
        while piece := await asyncio.to_thread(self._file.read, _PIECE_BYTES):
            yield piece
            sent += len(piece)
            self._moved(sent)
        if sent != self.size:
            raise OSError("the file changed while it was read")

    def _moved(self, sent: int) -> None:
        if self.limit is not None:
            self.limit.reschedule(asyncio.get_running_loop().time() + STALLED_S)
        if self._progress is not None:
            self._progress(sent)
