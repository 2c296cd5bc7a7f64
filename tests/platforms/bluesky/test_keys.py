"""Record keys."""

import re
from datetime import UTC, datetime
from uuid import UUID

from app.platforms.bluesky.keys import record_key

_DIGITS = "234567abcdefghijklmnopqrstuvwxyz"


def _time_of(key: str) -> datetime:
    value = 0
    for digit in key:
        value = value * 32 + _DIGITS.index(digit)
    return datetime.fromtimestamp((value >> 10) / 1_000_000, UTC)


def test_a_post_keeps_its_key_in_every_version() -> None:
    """Otherwise a post whose answer was lost before an update could be published twice."""
    post_id = UUID("5f0c2ba4-91a8-4a3f-b6ad-2a0f9c4a9f11")
    assert record_key(post_id) == "3ktv5gikpxaww"


def test_keys_are_valid_differ_and_are_of_the_past() -> None:
    keys = [record_key(UUID(int=number)) for number in range(10_000)]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[234567abcdefghij][234567a-z]{12}", key) for key in keys)
    times = [_time_of(key) for key in keys]
    assert datetime(2023, 1, 1, tzinfo=UTC) <= min(times)
    assert max(times) < datetime(2025, 4, 1, tzinfo=UTC)
