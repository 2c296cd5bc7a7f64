"""X."""

from datetime import timedelta
from typing import Final

from app.contract.enums import PostType
from app.platforms import registrations
from app.platforms.card import (
    Access,
    Brand,
    Card,
    DailyCap,
    FileRules,
    Hosts,
    Pace,
    Pages,
    PlatformRules,
    TextUnit,
)

_TYPES: Final = frozenset({PostType.TEXT, PostType.IMAGE, PostType.VIDEO})
_MIB: Final = 1024**2

X: Final = Card(
    key="x",
    name="X",
    hosts=Hosts(
        consent="https://x.com",
        issuer="https://api.x.com",
        api="https://api.x.com",
        version="2",
    ),
    registration=registrations.X,
    access=Access.HOURS,
    posts=PlatformRules(
        source="twitter-text configuration v3, for accounts without a subscription",
        text_max=280,
        text_unit=TextUnit.X_WEIGHT,
        post_types=_TYPES,
        publishable=_TYPES,
        forbidden="\ufffe\ufeff\uffff",  # the invalid characters of twitter-text
        cashtags_max=1,
        alt_text_types=frozenset({PostType.IMAGE}),
        alt_text_max=1000,
    ),
    files={
        PostType.IMAGE: FileRules(
            source="media best practices",
            content_types=frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"}),
            bytes_max=5 * _MIB,
            gif_bytes_max=15 * _MIB,
        ),
        PostType.VIDEO: FileRules(
            source="media best practices, for accounts without a subscription",
            content_types=frozenset({"video/mp4", "video/quicktime"}),
            bytes_max=512 * _MIB,
            ratio=(1 / 3, 3.0),
            duration_ms=(500, 140_000),
            video_codecs=frozenset({"h264"}),
            audio_codecs=frozenset({"aac"}),
            frame_rate=(0, 60),
        ),
    },
    daily_cap=DailyCap(10_000, "API v2, POST /2/tweets", per_app=True),
    # POST /2/tweets: "100/15min" per user: docs.x.com/x-api/fundamentals/rate-limits, as of 2026-08-22
    pace=Pace(100, timedelta(minutes=15)),
    pages=Pages(
        content_id=r"\d{1,20}",
        content="https://x.com/i/status/{}",
        own="https://x.com/home",
        account="https://x.com/{}",
    ),
    brand=Brand(account_color=2, at_sign=True),
    other_names=("twitter",),
)
