"""Mastodon."""

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
    PlatformRules,
    Registration,
    SignIn,
    Step,
    TextUnit,
)

_TYPES: Final = frozenset({PostType.TEXT, PostType.IMAGE, PostType.VIDEO})
_WITH_FILE: Final = frozenset({PostType.IMAGE, PostType.VIDEO})

MASTODON: Final = Card(
    key="mastodon",
    name="Mastodon",
    # Each account is on a server of its owner's choice.
    hosts=Hosts(consent="", issuer="", api="", version=""),
    registration=Registration(
        loopback=Loopback.TAKEN,
        portal="https://joinmastodon.org/servers",
        steps=(
            Step(gettext_noop("Enter your server or your full address in Kalends.")),
            Step(gettext_noop("Allow access on the page of your server.")),
        ),
        secret=False,
    ),
    access=Access.UNTIL_EXPIRY,
    posts=PlatformRules(
        source="defaults of Mastodon 4; each server names its own",
        text_max=500,
        text_unit=TextUnit.MASTODON,
        post_types=_TYPES,
        publishable=_TYPES,
        alt_text_types=_WITH_FILE,
        alt_text_max=1500,
        options=frozenset({"content_warning", "visibility", "language"}),
    ),
    files={
        PostType.IMAGE: FileRules(
            source="defaults of Mastodon 4; each server names its own",
            content_types=frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"}),
            bytes_max=16 * 1024 * 1024,
            pixels_max=33_177_601,
        ),
        PostType.VIDEO: FileRules(
            source="defaults of Mastodon 4; each server names its own",
            content_types=frozenset({"video/mp4", "video/quicktime", "video/webm"}),
            bytes_max=99 * 1024 * 1024,
            frame_rate=(0, 120),
        ),
    },
    # 300 posts in three hours: app/lib/rate_limiter.rb of Mastodon, as of 2026-11
    daily_cap=DailyCap(2_400, "rate limiter of Mastodon"),
    pace=Pace(300, timedelta(hours=3)),
    brand=Brand(color="#5B5CFF", at_sign=True),
    sign_in=SignIn.OWN_SERVER,
    other_names=("gotosocial", "pixelfed", "akkoma", "fediverse"),
)
