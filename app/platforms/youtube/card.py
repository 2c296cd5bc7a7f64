"""YouTube."""

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
    Pages,
    PlatformRules,
    TextUnit,
)

_TYPES: Final = frozenset({PostType.VIDEO})

YOUTUBE: Final = Card(
    key="youtube",
    name="YouTube",
    hosts=Hosts(
        consent="https://accounts.google.com",
        issuer="https://oauth2.googleapis.com",
        api="https://www.googleapis.com",
        version="v3",
        login_version="v2",
        reports="https://youtubeanalytics.googleapis.com",
        reports_version="v2",
        people="https://www.youtube.com",
        uploads=("googleapis.com",),
    ),
    registration=registrations.YOUTUBE,
    access=Access.HOURS,
    # Data API v3: the description is limited in bytes, the title in characters.
    posts=PlatformRules(
        source="Data API v3, videos resource",
        text_max=5000,
        text_unit=TextUnit.UTF8_BYTES,
        post_types=_TYPES,
        publishable=_TYPES,
        title_types=_TYPES,
        title_max=100,
        title_needed=True,
        forbidden="<>",
        takes_cover=True,
    ),
    files={
        PostType.VIDEO: FileRules(
            source="discovery document of Data API v3, revision 20261104; 15 minutes for unverified channels",
            bytes_max=256 * 1024**3,
            duration_ms=(0, 12 * 3_600_000),
        ),
    },
    daily_cap=DailyCap(
        100, "Data API v3, videos.insert since 2026-06-01", "America/Los_Angeles", per_app=True
    ),
    pages=Pages(content_id=r"[A-Za-z0-9_-]{11}", content="https://www.youtube.com/watch?v={}"),
    brand=Brand(color="#E00B0B", account_color=5, at_sign=True, subscribers=True),
    consent_opens="an account that has a channel",
    other_names=("yt",),
)
