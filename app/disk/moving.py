"""Replacing and moving files and folders, also while other programs look at them.

Windows refuses while a file is open, or any file in a folder: for a virus scanner, a search index or a backup
that is a moment, so it is tried again for a while. Blocking: not to be called in an event loop.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

_IN_USE: Final = frozenset({5, 32, 33})
"""Of Windows: ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION."""
PAUSES_S: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Waits between the tries, in seconds."""

Rename = Callable[[Path, Path], None]


def replace(file: Path, target: Path, rename: Rename = os.replace) -> None:
    """Give a file another name; a file of that name is replaced. Raises OSError.

    Args:
        file: what is to be renamed.
        target: its new name, on the same disk.
        rename: what renames, for trying out how systems refuse.
    """
    _patiently(rename, file, target)


def move(path: Path, to: Path, rename: Rename = os.rename) -> None:
    """Give a file or a folder a name that nothing has. Raises OSError.

    Where something has it, Windows refuses and other systems replace a file: look before.
    """
    _patiently(rename, path, to)


def _patiently(rename: Rename, path: Path, to: Path) -> None:
    for pause in PAUSES_S:
        try:
            rename(path, to)
        except OSError as error:
            if getattr(error, "winerror", None) not in _IN_USE:
                raise
        else:
            return
        time.sleep(pause)
    rename(path, to)
