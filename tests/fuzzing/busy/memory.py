"""Memory use of a process."""

import resource
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")
_MEGABYTE: Final = 1024 * 1024


def resident_mb() -> float:
    """Return this process's resident memory in MB, or its maximum if the system only reports that."""
    if _STATM.exists():
        pages = int(_STATM.read_text(encoding="ascii").split()[1])
        return pages * resource.getpagesize() / _MEGABYTE
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
