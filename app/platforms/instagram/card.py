"""Instagram, with Facebook Login or Instagram Login."""

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
    PlatformRules,
)
from app.platforms.meta.terms import GRAPH

_TYPES: Final = frozenset({PostType.IMAGE, PostType.VIDEO})

INSTAGRAM_LOGIN: Final = Hosts(
    consent="https://www.instagram.com",
    issuer="https://api.instagram.com",
    api="https://graph.instagram.com",
    version="v25.0",
    uploads=("facebook.com", "instagram.com"),
)
"""The hosts for apps that use Instagram Login without Pages."""

INSTAGRAM: Final = Card(
    key="instagram",
    name="Instagram",
    hosts=GRAPH,
    registration=registrations.INSTAGRAM,
    access=Access.WEEKS,
    posts=PlatformRules(
        source="Content Publishing API",
        text_max=2200,
        post_types=_TYPES,
        publishable=_TYPES,
        hashtags_max=30,
        mentions_max=20,
        alt_text_types=frozenset({PostType.IMAGE}),
        alt_text_max=1000,
        takes_cover=True,
    ),
    files={
        PostType.IMAGE: FileRules(
            source="Content Publishing API, image specifications",
            content_types=frozenset({"image/jpeg"}),
            bytes_max=8 * 1024**2,
            ratio=(0.8, 1.91),
            pulled=True,
        ),
        PostType.VIDEO: FileRules(
            source="Content Publishing API, Reel specifications",
            content_types=frozenset({"video/mp4", "video/quicktime"}),
            bytes_max=300 * 1024**2,
            width_max=1920,
            duration_ms=(3_000, 15 * 60_000),
            video_codecs=frozenset({"h264", "hevc"}),
            audio_codecs=frozenset({"aac"}),
            frame_rate=(23, 60),
        ),
    },
    # Meta's pages say 50 in one place and 100 in another.
    daily_cap=DailyCap(50, "Content Publishing API, the lower of its two numbers"),
    brand=Brand(color="#D62D6B", account_color=0, at_sign=True),
    consent_opens="a professional account that belongs to a Page of yours",
    other_names=("ig", "insta"),
)
