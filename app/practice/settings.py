"""What the practice platforms are told when they start."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

NOTICE = "PRACTICE: nothing here reaches the real platform"


@dataclass(frozen=True)
class Settings:
    """Where the state lives and how long things take.

    Attributes:
        data: Folder of the database; made when missing.
        slow_s: Seconds that a ``slow`` fault keeps an answer back.
        hold_s: Seconds that a ``timeout_after_accept`` fault holds the connection before closing it.
        rate_limit_window_s: Seconds until the reset that a 429 answer names.
        duplicate_window_s: Seconds within which the same text by the same account is refused.
        list_lag_s: Seconds after which lists of an account show what it published.
        processing_s: Seconds that a platform works on a file after its last byte.
        verified_prefixes: Addresses that TikTok was shown to be the developer's own; ports do not matter.
        quotas: The platforms' daily quotas are kept, as in reality; without, there is no end to trying.
        clock: Seconds since the epoch.
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
    """ISO 8601 in UTC with milliseconds; sorts as text in the order of time."""
    moment = datetime.fromtimestamp(epoch_s, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
