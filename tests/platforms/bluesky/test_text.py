"""What Bluesky makes of texts, without its library."""

import pytest

from app.contract.enums import PostingPlatform, PostType
from app.platforms.bluesky.text import Facet, Feature, find_facets
from app.platforms.card import TextUnit
from app.platforms.rules import check
from app.platforms.rules.tables import count

BLUESKY = PostingPlatform("bluesky")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("👩\u200d💻 see example.com.", [Facet(Feature.LINK, 16, 27, "https://example.com")]),
        ("(https://a.de/b)", [Facet(Feature.LINK, 1, 15, "https://a.de/b")]),
        ("Grüße an @robin.bsky.social!", [Facet(Feature.MENTION, 11, 29, "robin.bsky.social")]),
        ("#Wolle, #1 #日本!", [Facet(Feature.TAG, 0, 6, "Wolle"), Facet(Feature.TAG, 11, 18, "日本")]),
        ("buy $yarn", [Facet(Feature.TAG, 4, 9, "$YARN")]),
        ("mail@example.com, example.notatld, https://", []),
    ],
)
def test_facets_are_placed_by_bytes(text: str, expected: list[Facet]) -> None:
    assert find_facets(text) == expected


def test_an_emoji_of_many_characters_counts_once() -> None:
    assert count(TextUnit.GRAPHEMES, "👩\u200d💻🏳️\u200d🌈e\u0301") == 3


@pytest.mark.parametrize(
    ("text", "issues"),
    [
        ("👩\u200d💻" * 260, []),
        ("a" * 301, ["too_long"]),
        # 300 characters that take more bytes than a record may have
        ("👩\u200d💻" * 300, ["too_long"]),
    ],
)
def test_a_text_is_limited_in_graphemes_and_in_bytes(text: str, issues: list[str]) -> None:
    found = check(platform=BLUESKY, post_type=PostType.TEXT, title=None, text=text)
    assert [issue.type for issue in found] == issues
