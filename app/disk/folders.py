"""Flushing folders to disk."""

import os
from pathlib import Path


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries to disk after creating, renaming or removing files. Raises OSError.

    Windows neither needs nor allows this.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
