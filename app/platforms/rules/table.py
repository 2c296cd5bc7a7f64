"""What each platform takes, and which of it this program can publish.

Numbers as of 2026-11-21; every entry names its source. Where a platform documents no number, the one is taken
that other programs rely on in production. What files are taken is in ``file_table``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final

from app.contract.enums import PostingPlatform, PostType

_TEXT = frozenset({PostType.TEXT})
_IMAGE = frozenset({PostType.IMAGE})
_VIDEO = frozenset({PostType.VIDEO})


class TextUnit(Enum):
    """What a platform counts in a text."""

    CODE_POINTS = "code points"
    UTF16_UNITS = "UTF-16 units"
    UTF8_BYTES = "UTF-8 bytes"
    X_WEIGHT = "weighted characters of X"


@dataclass(frozen=True, slots=True)
class PlatformRules:
    """The limits of one platform; None where it has none.

    Attributes:
        name: How the platform writes its own name.
        source: Where the limits stand.
        text_max: Longest text, counted in ``text_unit``.
        post_types: What the platform takes.
        publishable: What of it this program can publish there today.
        text_unit: What is counted in texts.
        image_text_max: Longest text with an image, where that differs from ``text_max``.
        title_types: Kinds of posts whose title is sent; with others a title is ignored.
        title_max: Longest title, in code points.
        title_needed: A title is needed; the first line of the text stands in for a missing one.
        forbidden: Characters that neither title nor text may hold.
        hashtags_max: Most hashtags in a text.
        mentions_max: Most mentions in a text.
        cashtags_max: Most cashtags (``$ABC``) in a text.
        board_needed: Every post goes to a board.
        alt_text_types: Kinds of posts whose file can be described for those who do not see it.
        alt_text_max: Longest description, in code points; what is longer is cut.
        takes_cover: The moment of a video that stands for it can be chosen.
    """

    name: str
    source: str
    text_max: int
    post_types: frozenset[PostType]
    publishable: frozenset[PostType] = frozenset()
    text_unit: TextUnit = TextUnit.CODE_POINTS
    image_text_max: int | None = None
    title_types: frozenset[PostType] = frozenset()
    title_max: int | None = None
    title_needed: bool = False
    forbidden: str = ""
    hashtags_max: int | None = None
    mentions_max: int | None = None
    cashtags_max: int | None = None
    board_needed: bool = False
    alt_text_types: frozenset[PostType] = frozenset()
    alt_text_max: int = 0
    takes_cover: bool = False

    def text_max_of(self, post_type: PostType) -> int:
        """Longest text of a kind of post."""
        if post_type is PostType.IMAGE and self.image_text_max is not None:
            return self.image_text_max
        return self.text_max


RULES: Final[Mapping[PostingPlatform, PlatformRules]] = MappingProxyType(
    {
        # Escapes are not counted.
        PostingPlatform.LINKEDIN: PlatformRules(
            name="LinkedIn",
            source="UGC Post API; its successor, the Posts API, documents no limit",
            text_max=3000,
            post_types=_TEXT | _IMAGE | _VIDEO,
            publishable=_TEXT | _IMAGE | _VIDEO,
            title_types=_VIDEO,
            alt_text_types=_IMAGE | _VIDEO,
            alt_text_max=4086,
            takes_cover=True,
        ),
        # Direct Post: a video's text is its "title" of 2200 UTF-16 units, a photo has both.
        PostingPlatform.TIKTOK: PlatformRules(
            name="TikTok",
            source="Content Posting API, Direct Post",
            text_max=2200,
            image_text_max=4000,
            text_unit=TextUnit.UTF16_UNITS,
            post_types=_IMAGE | _VIDEO,
            publishable=_IMAGE | _VIDEO,
            title_types=_IMAGE,
            title_max=90,
            takes_cover=True,
        ),
        PostingPlatform.PINTEREST: PlatformRules(
            name="Pinterest",
            source="API description 5.23.0",
            text_max=800,
            post_types=_IMAGE | _VIDEO,
            publishable=_IMAGE | _VIDEO,
            title_types=_IMAGE | _VIDEO,
            title_max=100,
            board_needed=True,
            alt_text_types=_IMAGE | _VIDEO,
            alt_text_max=500,
            takes_cover=True,
        ),
        PostingPlatform.INSTAGRAM: PlatformRules(
            name="Instagram",
            source="Content Publishing API",
            text_max=2200,
            post_types=_IMAGE | _VIDEO,
            publishable=_IMAGE | _VIDEO,
            hashtags_max=30,
            mentions_max=20,
            alt_text_types=_IMAGE,
            alt_text_max=1000,
            takes_cover=True,
        ),
        # Data API v3: the description counts in bytes, the title in characters.
        PostingPlatform.YOUTUBE: PlatformRules(
            name="YouTube",
            source="Data API v3, videos resource",
            text_max=5000,
            text_unit=TextUnit.UTF8_BYTES,
            post_types=_VIDEO,
            publishable=_VIDEO,
            title_types=_VIDEO,
            title_max=100,
            title_needed=True,
            forbidden="<>",
            takes_cover=True,
        ),
        # The three characters are the invalid ones of twitter-text.
        PostingPlatform.X: PlatformRules(
            name="X",
            source="twitter-text configuration v3, for accounts without a subscription",
            text_max=280,
            text_unit=TextUnit.X_WEIGHT,
            post_types=_TEXT | _IMAGE | _VIDEO,
            publishable=_TEXT | _IMAGE | _VIDEO,
            forbidden="\ufffe\ufeff\uffff",
            cashtags_max=1,
            alt_text_types=_IMAGE,
            alt_text_max=1000,
        ),
        PostingPlatform.FACEBOOK: PlatformRules(
            name="Facebook",
            source="limits other publishing tools use; not official",
            text_max=63_206,
            post_types=_TEXT | _IMAGE | _VIDEO,
            publishable=_TEXT | _IMAGE | _VIDEO,
            title_types=_VIDEO,
            alt_text_types=_IMAGE,
            alt_text_max=1000,  # no number is documented
            takes_cover=True,
        ),
    }
)
"""The rules of every platform that posts can go to."""
