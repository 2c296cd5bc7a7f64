"""Detecting an upgrade that replaces the files of the running frozen app.

Modules that weren't imported before can't be loaded afterwards, or come from the new version, so the program
has to restart. This module watches the executable, which is replaced together with everything else.
"""

import asyncio
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.children import is_frozen

LOOK_S = 2.0
"""Interval between checks, in s."""
_LOOKS: Final = 3
"""Number of checks for which the new file has to stay the same, while the other files are replaced."""
_NO_FILE: Final = (0, 0, 0, 0)

Identity = tuple[int, int, int, int]


@dataclass
class ProgramFile:
    """The executable that this process was started from."""

    path: Path
    look_s: float = field(default_factory=lambda: LOOK_S)
    _first: Identity = field(init=False)

    def __post_init__(self) -> None:
        self._first = self._identity()

    async def until_replaced(self) -> None:
        """Wait until the executable has been replaced and stable for a moment."""
        last, looks = self._first, 0
        while looks < _LOOKS:
            await asyncio.sleep(self.look_s)
            there = self._identity()
            looks = looks + 1 if there == last and there not in (self._first, _NO_FILE) else 0
            last = there

    def _identity(self) -> Identity:
        try:
            found = self.path.stat()
        except OSError:
            return _NO_FILE  # between two versions, or uninstalled
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def program_file() -> ProgramFile | None:
    """Return the file to watch; None when running from source, and on Windows, which locks it."""
    return ProgramFile(Path(sys.executable)) if is_frozen() and sys.platform != "win32" else None
