"""Bluesky."""

from datetime import timedelta
from typing import Final

from app.contract.enums import PostType
from app.language import gettext_noop
from app.platforms.card import (
    Access,
    Brand,
    Card,
    DailyCap,
    FileRules,
    Hosts,
    Loopback,
    Pace,
    Pages,
    PlatformRules,
    Registration,
    SignIn,
    Step,
    TextUnit,
)

_TYPES: Final = frozenset(PostType)

BLUESKY: Final = Card(
    key="bluesky",
    name="Bluesky",
    hosts=Hosts(
        consent="https://bsky.social",
        issuer="https://bsky.social",
        api="https://bsky.social",
        version="",
        people="https://bsky.app",
        directory="https://plc.directory",
        videos="https://video.bsky.app",
    ),
    registration=Registration(
        loopback=Loopback.TAKEN,
        portal="https://bsky.app/settings/app-passwords",
        steps=(
            Step(gettext_noop("Create an app password.")),
            Step(gettext_noop("Enter your handle and the app password in Kalends.")),
        ),
        secret=False,
    ),
    access=Access.HOURS,
    posts=PlatformRules(
        source="lexicon app.bsky.feed.post",
        text_max=300,
        text_unit=TextUnit.GRAPHEMES,
        text_bytes_max=3000,
        post_types=_TYPES,
        publishable=_TYPES,
        alt_text_types=frozenset({PostType.IMAGE, PostType.VIDEO}),
        alt_text_max=2000,
        options=frozenset({"language"}),
    ),
    files={
        PostType.IMAGE: FileRules(
            source="lexicon app.bsky.embed.images",
            content_types=frozenset({"image/jpeg", "image/png", "image/webp"}),
            bytes_max=2_000_000,
        ),
        PostType.VIDEO: FileRules(
            source="lexicon app.bsky.embed.video",
            content_types=frozenset({"video/mp4"}),
            bytes_max=100_000_000,
            duration_ms=(0, 180_000),
        ),
    },
    # 35,000 points a day and 5,000 an hour for each account; creating a record costs 3:
    # docs.bsky.app/docs/advanced-guides/rate-limits, as of 2026-08
    daily_cap=DailyCap(11_666, "rate limits of the PDS"),
    pace=Pace(1_666, timedelta(hours=1)),
    pages=Pages(own="https://bsky.app/notifications", account="https://bsky.app/profile/{}"),
    brand=Brand(color="#0F73DE", at_sign=True),
    sign_in=SignIn.HANDLE,
    other_names=("bsky",),
)
