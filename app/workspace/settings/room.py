"""The size of the data folder. Blocking; for threads."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from app.language import tr
from app.workspace.messages import Problem
from app.workspace.system_words import why


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes in the data folder, bytes of replaced data in it, and free bytes on its disk."""

    used: int
    aside: int
    free: int


def measure(data: Path) -> Room:
    """Add up the readable files. Raises Problem if the disk can't be queried."""
    aside = sum(_size(data / name) for name in ("removed", "set-aside"))
    try:
        free = shutil.disk_usage(data).free
    except OSError as error:
        raise Problem(tr("Couldn't measure {folder}: {why}.", folder=data, why=why(error))) from error
    return Room(_size(data), aside, free)


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += Path(place, name).lstat().st_size
            except OSError:  # deleted in the meantime, or unreadable
                continue
    return total
