"""How fast the platforms let one account publish, where they say so for minutes rather than for days.

LinkedIn, Instagram, YouTube and Facebook name no such number. Daily caps are not here: a post that meets one
is refused by the platform, in its own words.
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
        # "Each user access_token is limited to 6 requests per minute", of the call that announces a post, of
        # which every post takes one: developers.tiktok.com/doc/content-posting-api-reference-direct-post,
        # as of 2026-08-24
        PostingPlatform.TIKTOK: Pace(6, timedelta(minutes=1)),
        # POST /2/tweets: "100/15min" per user: docs.x.com/x-api/fundamentals/rate-limits, as of 2026-08-22
        PostingPlatform.X: Pace(100, timedelta(minutes=15)),
        # Category org_write, of apps on Standard access, for each user and minute:
        # developers.pinterest.com/docs/reference/rate-limits, as of 2026-09-24
        PostingPlatform.PINTEREST: Pace(100, timedelta(minutes=1)),
    }
)
