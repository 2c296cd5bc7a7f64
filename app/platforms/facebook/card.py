"""Facebook."""

from typing import Final

from app.contract.enums import PostType
from app.platforms import registrations
from app.platforms.card import Access, Brand, Card, FileRules, Pages, PlatformRules
from app.platforms.meta.terms import GRAPH

_TYPES: Final = frozenset({PostType.TEXT, PostType.IMAGE, PostType.VIDEO})

FACEBOOK: Final = Card(
    key="facebook",
    name="Facebook",
    hosts=GRAPH,
    registration=registrations.FACEBOOK,
    access=Access.WEEKS,
    posts=PlatformRules(
        source="limits other publishing tools use; not official",
        text_max=63_206,
        post_types=_TYPES,
        publishable=_TYPES,
        title_types=frozenset({PostType.VIDEO}),
        alt_text_types=frozenset({PostType.IMAGE}),
        alt_text_max=1000,  # no limit is documented
        takes_cover=True,
    ),
    files={
        PostType.IMAGE: FileRules(
            source="text of error 1366046: JPEG or PNG of less than 4 MB",
            content_types=frozenset({"image/jpeg", "image/png"}),
            bytes_max=4 * 1024**2,
        ),
        PostType.VIDEO: FileRules(
            source="limits other publishing tools use; not official",
            content_types=frozenset({"video/mp4", "video/quicktime"}),
            bytes_max=10 * 1024**3,
            duration_ms=(0, 4 * 3_600_000),
        ),
    },
    pages=Pages(content_id=r"\d+(?:_\d+)?", content="https://www.facebook.com/{}"),
    brand=Brand(color="#0B62E0", account_color=6),
    consent_opens="a Page that you may post for",
    other_names=("fb",),
)
