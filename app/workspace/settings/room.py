"""How much room the data folder takes, and by what. Blocking; for threads."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from app.language import tr
from app.workspace.messages import Problem
from app.workspace.system_words import why


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes of everything in the data folder, of what was set aside in it, and what is free on its disk."""

    used: int
    aside: int
    free: int


def measure(data: Path) -> Room:
    """Add up the files that can be read. Raises Problem where the disk can't be asked."""
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
            except OSError:  # gone meanwhile, or not ours to read
                continue
    return total
