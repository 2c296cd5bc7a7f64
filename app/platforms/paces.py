"""How fast the platforms let one account publish, where they say so for minutes rather than for days.

Daily caps are not here: a post that meets one is refused by the platform, in its own words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Final

from app.contract.enums import PostingPlatform


@dataclass(frozen=True, slots=True)
class Pace:
    """At most so many publishing calls of one account within any stretch of time so long."""

    calls: int
    within: timedelta


PACES: Final[Mapping[PostingPlatform, Pace]] = MappingProxyType(
    {
        # https://developers.tiktok.com/doc/content-posting-api-reference-direct-post (2026-11)
        PostingPlatform.TIKTOK: Pace(6, timedelta(minutes=1)),
        # https://docs.x.com/x-api/fundamentals/rate-limits (2026-11)
        PostingPlatform.X: Pace(100, timedelta(minutes=15)),
        # https://developers.pinterest.com/docs/reference/rate-limits (2026-11): writes
        PostingPlatform.PINTEREST: Pace(100, timedelta(minutes=1)),
    }
)
