"""Error codes and subcodes of the Graph API, on Facebook, Instagram and Threads.

Sources: Meta's tables of error codes for the Graph API and for content publishing. The subcodes of Pages come
from programs in production.
"""

from collections.abc import Mapping
from typing import Final

from app.platforms.base import Cause, FailureKind

Meaning = tuple[FailureKind | None, Cause | None]
"""What an error means for the next step (None if only the status tells), and its cause."""

NEW_CONTAINER: Final = frozenset({2207008, 2207020, 2207032, 2207053})
"""Subcodes for a dead Instagram container: a new one is needed."""

SURELY_ABSENT: Final = NEW_CONTAINER | {9007, 2207027}
"""Transient codes and subcodes which guarantee that nothing was published."""

_K: Final = FailureKind
# The subcode is more specific than the code, which may be generic.
_SUBCODES: Final[Mapping[int, Meaning]] = {
    2207001: (_K.TRANSIENT, None),  # an internal error of Instagram
    2207003: (_K.TRANSIENT, Cause.FILE_ADDRESS),  # fetching the file took too long
    2207082: (_K.TRANSIENT, None),
    **dict.fromkeys(NEW_CONTAINER, (_K.TRANSIENT, None)),
    2207027: (_K.TRANSIENT, None),  # the container isn't ready yet
    1363047: (_K.TRANSIENT, None),
    1609010: (_K.TRANSIENT, None),
    1390008: (_K.RATE_LIMITED, None),
    2207042: (_K.QUOTA, None),
    1366051: (_K.DUPLICATE, None),
    2207050: (_K.PERMISSION, Cause.RESTRICTED),
    2207051: (_K.PERMISSION, Cause.SPAM),
    1404078: (_K.PERMISSION, Cause.RESTRICTED),  # the Page must be authorized to publish
    4854002: (_K.PERMISSION, Cause.RESTRICTED),  # the user must confirm their identity
    1346003: (_K.INVALID, Cause.POLICY),
    1404102: (_K.INVALID, Cause.POLICY),
    1609008: (_K.INVALID, Cause.LINK),
    2061006: (_K.INVALID, Cause.LINK),
    1349125: (_K.INVALID, Cause.TEXT),
    1366046: (_K.INVALID, Cause.FILE),
    2207052: (_K.INVALID, Cause.FILE_ADDRESS),
    2207026: (_K.INVALID, Cause.FILE),
    2207004: (_K.INVALID, Cause.FILE_SIZE),
    2207005: (_K.INVALID, Cause.FILE),
    2207009: (_K.INVALID, Cause.FILE_SHAPE),
    2207010: (_K.INVALID, Cause.TEXT_LENGTH),
    2207040: (_K.INVALID, Cause.TEXT),  # too many tags
    2207057: (_K.INVALID, Cause.FILE_LENGTH),  # the cover's position is beyond the end
}
_CODES: Final[Mapping[int, Meaning]] = {
    **dict.fromkeys((102, 190), (_K.AUTH_EXPIRED, None)),
    **dict.fromkeys((4, 17, 32, 341, 613), (_K.RATE_LIMITED, None)),
    **dict.fromkeys((-2, -1, 1, 2), (_K.TRANSIENT, None)),
    10: (_K.PERMISSION, None),
    25: (_K.PERMISSION, Cause.RESTRICTED),
    368: (_K.PERMISSION, Cause.RESTRICTED),
    506: (_K.DUPLICATE, None),
    1366051: (_K.DUPLICATE, None),
    352: (_K.INVALID, Cause.FILE),
    36000: (_K.INVALID, Cause.FILE_SIZE),
    36001: (_K.INVALID, Cause.FILE),
    36003: (_K.INVALID, Cause.FILE_SHAPE),
    36004: (_K.INVALID, Cause.TEXT_LENGTH),
    9004: (_K.INVALID, Cause.FILE_ADDRESS),
    9007: (_K.TRANSIENT, None),
}


def meaning_of(code: int, subcode: int | None, *, is_transient: bool = False) -> Meaning:
    """Return the meaning of a code; ``is_transient`` is Meta's own flag for transient errors."""
    if code in {102, 190}:
        return _CODES[code]  # whatever ended the token
    if subcode is not None and subcode in _SUBCODES:
        return _SUBCODES[subcode]
    if code in _CODES:
        return _CODES[code]
    if 200 <= code < 300:
        return FailureKind.PERMISSION, None
    if 80_000 <= code < 80_100:
        return FailureKind.RATE_LIMITED, None
    return (FailureKind.TRANSIENT, None) if is_transient else (None, None)
