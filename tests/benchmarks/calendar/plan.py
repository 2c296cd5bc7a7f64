"""The posts shown by all contenders, spread evenly over two years around now."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Final

_MINUTE_MS: Final = 60_000
_DAY_MS: Final = 86_400_000
_DAYS: Final = 730
PLATFORMS: Final = ("instagram", "linkedin", "x", "pinterest", "tiktok", "youtube", "facebook")
_HEADLINES: Final = (
    "Winter lookbook is live: 24 pieces",
    "Three things linen taught me",
    "Studio tour, one year on",
    "Open studio this Saturday",
    "A thread on thread counts",
    "Five questions before you cut",
    "Returns, honestly: what came back and why",
)


@dataclass(frozen=True, slots=True)
class Planned:
    """A post of the benchmark; ``at`` is in ms since 1970 UTC, on a full minute."""

    number: int
    at: int
    headline: str
    platform: str


def now_ms() -> int:
    return int(datetime.now(UTC).timestamp() * 1_000)


def planned(count: int, now: int) -> Iterator[Planned]:
    """Yield ``count`` posts in chronological order, the same for the same arguments."""
    random = Random(count)  # noqa: S311  sample data
    start = now - _DAYS // 2 * _DAY_MS
    for number in range(count):
        at = start + number * _DAYS * _DAY_MS // count + random.randrange(60 * _MINUTE_MS)
        yield Planned(
            number,
            at // _MINUTE_MS * _MINUTE_MS,
            random.choice(_HEADLINES),
            PLATFORMS[number % len(PLATFORMS)],
        )
