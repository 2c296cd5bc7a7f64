"""LinkedIn."""

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
)

_TYPES: Final = frozenset({PostType.TEXT, PostType.IMAGE, PostType.VIDEO})
_KIB: Final = 1024

LINKEDIN: Final = Card(
    key="linkedin",
    name="LinkedIn",
    # LinkedIn supports a version for a year; 202609 until 2027-09-15.
    hosts=Hosts(
        consent="https://www.linkedin.com",
        issuer="https://www.linkedin.com",
        api="https://api.linkedin.com",
        version="202609",
        login_version="v2",
        uploads=("linkedin.com", "licdn.com"),
    ),
    registration=registrations.LINKEDIN,
    access=Access.UNTIL_EXPIRY,
    posts=PlatformRules(
        source="UGC Post API; its successor, the Posts API, documents no limit",
        text_max=3000,  # not counting the escapes of "little text"
        post_types=_TYPES,
        publishable=_TYPES,
        title_types=frozenset({PostType.VIDEO}),
        alt_text_types=frozenset({PostType.IMAGE, PostType.VIDEO}),
        alt_text_max=4086,
        takes_cover=True,
    ),
    files={
        PostType.IMAGE: FileRules(
            source="Images API, which documents no size limit",
            content_types=frozenset({"image/jpeg", "image/png", "image/gif"}),
            pixels_max=36_152_320,
        ),
        PostType.VIDEO: FileRules(
            source="Videos API",
            content_types=frozenset({"video/mp4"}),
            bytes_min=75 * _KIB,
            bytes_max=500 * _KIB**2,
            duration_ms=(3_000, 30 * 60_000),
        ),
    },
    daily_cap=DailyCap(150, "Share on LinkedIn, rate limits of a member", "UTC"),
    pages=Pages(
        content_id=r"urn:li:(?:share|ugcPost|activity):\d+",
        content="https://www.linkedin.com/feed/update/{}/",
        own="https://www.linkedin.com/in/me/recent-activity/all/",
    ),
    brand=Brand(color="#0A66C2", is_tile=True, account_color=1),
)
