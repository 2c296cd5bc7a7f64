"""Pinterest."""

from datetime import timedelta
from typing import Final

from app.contract.enums import PostType
from app.platforms import registrations
from app.platforms.card import (
    Access,
    Brand,
    Card,
    FileRules,
    Hosts,
    Pace,
    Pages,
    PlatformRules,
)

_TYPES: Final = frozenset({PostType.IMAGE, PostType.VIDEO})

PINTEREST: Final = Card(
    key="pinterest",
    name="Pinterest",
    hosts=Hosts(
        consent="https://www.pinterest.com",
        issuer="https://api.pinterest.com",
        api="https://api.pinterest.com",
        version="v5",
        uploads=("amazonaws.com", "pinterest.com"),
    ),
    registration=registrations.PINTEREST,
    access=Access.WEEKS,
    posts=PlatformRules(
        source="API description 5.23.0",
        text_max=800,
        post_types=_TYPES,
        publishable=_TYPES,
        title_types=_TYPES,
        title_max=100,
        board_needed=True,
        alt_text_types=_TYPES,
        alt_text_max=500,
        takes_cover=True,
    ),
    files={
        PostType.IMAGE: FileRules(
            source="API description 5.23.0 for the kinds; 20 MB isn't official",
            content_types=frozenset({"image/jpeg", "image/png"}),
            bytes_max=20 * 1024**2,
        ),
        PostType.VIDEO: FileRules(
            source="limits other publishing tools use; not official",
            content_types=frozenset({"video/mp4", "video/quicktime"}),
            bytes_max=2 * 1024**3,
            duration_ms=(4_000, 15 * 60_000),
        ),
    },
    # Category org_write, of apps on Standard access, for each user and minute:
    # developers.pinterest.com/docs/reference/rate-limits, as of 2026-09-24
    pace=Pace(100, timedelta(minutes=1)),
    pages=Pages(content_id=r"\d{1,20}", content="https://www.pinterest.com/pin/{}/"),
    brand=Brand(color="#BD081C", account_color=3),
)
