"""TikTok."""

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
    Inbox,
    Pace,
    PlatformRules,
    TextUnit,
)

_TYPES: Final = frozenset({PostType.IMAGE, PostType.VIDEO})

TIKTOK: Final = Card(
    key="tiktok",
    name="TikTok",
    hosts=Hosts(
        consent="https://www.tiktok.com",
        issuer="https://open.tiktokapis.com",
        api="https://open.tiktokapis.com",
        version="v2",
        uploads=("tiktokapis.com",),
    ),
    registration=registrations.TIKTOK,
    access=Access.HOURS,
    # Direct Post: a video's text is its "title" of 2200 UTF-16 units; a photo has a title and a text.
    posts=PlatformRules(
        source="Content Posting API, Direct Post",
        text_max=2200,
        image_text_max=4000,
        text_unit=TextUnit.UTF16_UNITS,
        post_types=_TYPES,
        publishable=_TYPES,
        title_types=frozenset({PostType.IMAGE}),
        title_max=90,
        title_unit=TextUnit.UTF16_UNITS,
        takes_cover=True,
    ),
    files={
        PostType.IMAGE: FileRules(
            source="Content Posting API, media transfer guide",
            content_types=frozenset({"image/jpeg", "image/webp"}),
            bytes_max=20 * 1024**2,
            side=(1, 1920),
            pulled=True,
        ),
        PostType.VIDEO: FileRules(
            source="Content Posting API, media transfer guide",
            content_types=frozenset({"video/mp4", "video/quicktime", "video/webm"}),
            bytes_max=4 * 1024**3,
            side=(360, 4096),
            duration_ms=(0, 10 * 60_000),
            video_codecs=frozenset({"h264", "hevc", "vp8", "vp9"}),
            frame_rate=(23, 60),
        ),
    },
    daily_cap=DailyCap(15, "Content Posting API: about 15 of a creator in 24 hours"),
    inbox=Inbox(5, "video.upload", "Content Posting API: five pending shares in 24 hours"),
    # "Each user access_token is limited to 6 requests per minute", of the call that announces a post, of
    # which every post takes one: developers.tiktok.com/doc/content-posting-api-reference-direct-post,
    # as of 2026-08-24
    pace=Pace(6, timedelta(minutes=1)),
    brand=Brand(account_color=4, at_sign=True),
)
