"""Record keys: a post has the same one in every attempt, so the network refuses a second copy."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Final
from uuid import UUID

_DIGITS: Final = "234567abcdefghijklmnopqrstuvwxyz"
_LENGTH: Final = 13
_CLOCK_BITS: Final = 10
_TIME_BITS: Final = 46
"""Two years and three months of microseconds."""
_FIRST: Final = int(datetime(2023, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000


def record_key(post_id: UUID) -> str:
    """Return the key of a post's record.

    Posts have timestamp identifiers (TID) as keys: 53 bits of microseconds since 1970 and 10 bits for clocks.
    Their time isn't shown, but must not be in the future. It's a moment between 2023 and 2025, hashed from
    the post's ID like the rest of the key. Two posts share a key with a probability of 1 in 2^56.
    """
    hashed = int.from_bytes(sha256(post_id.bytes).digest()[:8])
    clock, hashed = hashed % 2**_CLOCK_BITS, hashed >> _CLOCK_BITS
    value = (_FIRST + hashed % 2**_TIME_BITS) << _CLOCK_BITS | clock
    return "".join(_DIGITS[value >> 5 * place & 31] for place in reversed(range(_LENGTH)))
