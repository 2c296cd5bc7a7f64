"""What time it is, to the millisecond that the store keeps."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Gives the present moment as an aware UTC time."""


def system_clock() -> datetime:
    """The machine's time, cut to whole milliseconds so that it equals what is read back from the store."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)
