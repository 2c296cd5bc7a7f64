"""Saving files from the service, with a maximum size and without filling the disk."""

import errno
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.language import tr
from app.workspace import system_words

COPY_MAX: Final = 5 * 1024**3
"""Maximum size of a file in bytes, also if its size is unknown."""
SPARED: Final = 1024**3
"""Bytes to leave free on the disk."""
_LOOK_EVERY: Final = 8 * 1024**2
"""Bytes written between two checks of the free space."""

Heard = Callable[[int], None]
"""Called with the number of bytes written."""


class GuardedFile(io.BufferedWriter):
    """A new file that raises OSError (ENOSPC) rather than leave less than ``spared`` bytes of its disk."""

    def __init__(self, path: Path, heard: Heard = lambda _written: None, spared: int = SPARED) -> None:
        super().__init__(io.FileIO(path, "wb"))
        self._folder, self._heard, self._spared = path.parent, heard, spared
        self._written, self._looked_at = 0, -_LOOK_EVERY

    def write(self, piece: bytes) -> int:  # type: ignore[override]  # of whatever buffer
        """Write a piece."""
        if self._written - self._looked_at >= _LOOK_EVERY:
            self._looked_at = self._written
            if shutil.disk_usage(self._folder).free < self._spared + _LOOK_EVERY:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        size = super().write(piece)
        self._written += size
        self._heard(self._written)
        return size


def refusal(name: str, error: OSError) -> str:
    """Why a file could not be written, and what to do."""
    if error.errno == errno.ENOSPC:
        return tr("“{name}” wasn't saved: the disk is almost full. Free up space, then try again.", name=name)
    return tr(
        "Couldn't write “{name}”: {why}. Choose another location.", name=name, why=system_words.why(error)
    )
