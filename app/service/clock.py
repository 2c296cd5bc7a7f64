"""What time it is, to the millisecond that the store keeps."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Gives the present moment as an aware UTC time."""


def system_clock() -> datetime:
    """The machine's time, cut to whole milliseconds so that it equals what is read back from the store."""
    return datetime.fromtimestamp(time.time_ns() // 1_000_000 / 1_000, UTC)
