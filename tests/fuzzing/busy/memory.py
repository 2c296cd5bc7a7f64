"""How much memory a program has."""

import resource
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")
_MEGABYTE: Final = 1024 * 1024


def resident_mb() -> float:
    """What this process has in memory now, in MB; the most it ever had where the system tells no more."""
    if _STATM.exists():
        pages = int(_STATM.read_text(encoding="ascii").split()[1])
        return pages * resource.getpagesize() / _MEGABYTE
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
