"""Sums up repeated measurements, and the memory of this process."""

import math
import time
from collections.abc import Callable, Iterable

import psutil


def percentile(samples: Iterable[float], share: float) -> float:
    """The nearest-rank percentile of the samples; ``share`` is 0 to 1. Raises ValueError without samples."""
    ordered = sorted(samples)
    if not ordered:
        raise ValueError("There is nothing to sum up.")
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def milliseconds(action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """How long an action takes on a clock; ``time.process_time`` counts this process's CPU only."""
    start = clock()
    action()
    return (clock() - start) * 1_000


def resident_mb() -> float:
    """Resident memory of this process, in megabytes (2**20 bytes)."""
    return float(psutil.Process().memory_info().rss) / 2**20
