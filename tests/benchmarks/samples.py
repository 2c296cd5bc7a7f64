"""Statistics of repeated measurements, and the memory of this process."""

import math
import time
from collections.abc import Callable, Iterable

import psutil


def percentile(samples: Iterable[float], share: float) -> float:
    """Return the nearest-rank percentile; ``share`` is 0 to 1. Raises ValueError without samples."""
    ordered = sorted(samples)
    if not ordered:
        raise ValueError("There is nothing to sum up.")
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def milliseconds(action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the duration of an action in ms; ``time.process_time`` only counts this process's CPU time."""
    start = clock()
    action()
    return (clock() - start) * 1_000


def resident_mb() -> float:
    """Return the resident memory of this process in MiB."""
    return float(psutil.Process().memory_info().rss) / 2**20
