"""How many posts a platform takes in a day, where it says so.

Numbers as of 2026-11-21. Nothing here is enforced: a post above a cap is refused by the platform, in its own
words, and a plan can be warned of it before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.contract.enums import PostingPlatform


@dataclass(frozen=True, slots=True)
class DailyCap:
    """The most posts of a day.

    Attributes:
        posts: How many.
        source: Where the number stands.
        midnight: The time zone in which the day begins; empty where any 24 hours are counted.
        per_app: All accounts that were connected with one app have it together.
    """

    posts: int
    source: str
    midnight: str = ""
    per_app: bool = False


DAILY: Final[Mapping[PostingPlatform, DailyCap]] = MappingProxyType(
    {
        PostingPlatform.LINKEDIN: DailyCap(150, "Share on LinkedIn, rate limits of a member", "UTC"),
        PostingPlatform.TIKTOK: DailyCap(15, "Content Posting API: about 15 of a creator in 24 hours"),
        # Meta's pages say 50 in one place and 100 in another.
        PostingPlatform.INSTAGRAM: DailyCap(50, "Content Publishing API, the lower of its two numbers"),
        PostingPlatform.YOUTUBE: DailyCap(
            100, "Data API v3, videos.insert since 2026-06-01", "America/Los_Angeles", per_app=True
        ),
        PostingPlatform.X: DailyCap(10_000, "API v2, POST /2/tweets", per_app=True),
    }
)
"""Platforms that name no number are not among them."""
