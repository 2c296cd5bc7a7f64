"""When published content is sampled: after 1, 6 and 24 hours, then daily for 90 days."""

from datetime import datetime, timedelta
from typing import Final

SAMPLED_FOR: Final = timedelta(days=90)
"""How long an item is sampled."""

_EARLY: Final = (timedelta(hours=1), timedelta(hours=6))
_DAILY: Final = timedelta(days=1)


def first_sample(published_at: datetime) -> datetime:
    """When an item is sampled for the first time."""
    return published_at + _EARLY[0]


def next_sample(published_at: datetime, now: datetime) -> datetime | None:
    """The first time of the schedule after ``now``; None when it is over."""
    for early in _EARLY:
        if published_at + early > now:
            return published_at + early
    after = max(1, (now - published_at) // _DAILY + 1) * _DAILY
    return published_at + after if after <= SAMPLED_FOR else None
