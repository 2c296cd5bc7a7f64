"""Settings of the practice platforms."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

NOTICE = "PRACTICE: nothing here reaches the real platform"


@dataclass(frozen=True)
class Settings:
    """Data folder, delays and limits.

    Attributes:
        data: Folder of the database, created if missing.
        slow_s: Delay of a ``slow`` fault, in s.
        hold_s: How long a ``timeout_after_accept`` fault holds the connection, in s.
        rate_limit_window_s: Seconds until the reset in a 429.
        duplicate_window_s: Seconds in which the same text by the same account is refused.
        list_lag_s: Seconds until lists show a publication.
        processing_s: Seconds that a platform processes a file after its last byte.
        verified_prefixes: URL prefixes verified with TikTok; ports don't matter.
        quotas: Whether to enforce the platforms' real daily quotas.
        clock: Returns seconds since the epoch.
    """

    data: Path
    slow_s: float = 3.0
    hold_s: float = 60.0
    rate_limit_window_s: float = 2.0
    duplicate_window_s: float = 600.0
    list_lag_s: float = 0.0
    processing_s: float = 0.3
    verified_prefixes: tuple[str, ...] = ("https://127.0.0.1/", "https://localhost/")
    quotas: bool = False
    clock: Callable[[], float] = time.time


def timestamp(epoch_s: float) -> str:
    """Format a time as ISO 8601 in UTC with milliseconds, which sorts chronologically."""
    moment = datetime.fromtimestamp(epoch_s, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
