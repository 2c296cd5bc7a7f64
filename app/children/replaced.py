"""An upgrade replaces the files of the frozen app while it runs.

What wasn't imported by then can't be, or comes from the new version, so the program has to start again. Its
executable is replaced with everything else, and is what we watch.
"""

import asyncio
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.children import is_frozen

LOOK_S = 2.0
"""How often to look."""
_LOOKS: Final = 3
"""For how many looks the new file has to be the same: the other files are replaced meanwhile."""
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
        """Return when another file has been in its place for a moment."""
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
            return _NO_FILE  # between two versions, or removed for good
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def program_file() -> ProgramFile | None:
    """The file to watch; None where Python runs the source, and on Windows, which doesn't replace it."""
    return ProgramFile(Path(sys.executable)) if is_frozen() and sys.platform != "win32" else None
