"""Making names in folders durable."""

import os
from pathlib import Path


def flush_folder(folder: Path) -> None:
    """Make names in a folder durable: new, renamed and removed files. Raises OSError.

    Windows neither needs nor allows it.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
