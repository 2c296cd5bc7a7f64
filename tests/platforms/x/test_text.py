"""X counts as twitter-text does; ``fixtures/twitter_text.json`` was written by the library itself."""

import json
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostType
from app.platforms.rules import length_of
from app.platforms.x.links import find_links
from app.platforms.x.text import cashtags, weighted_length

_FIXTURE = Path(__file__).parents[1] / "fixtures" / "twitter_text.json"
_CASES = json.loads(_FIXTURE.read_text("utf-8"))["cases"]
_PIECES = st.sampled_from(
    ["example.com", "https://", "a", "日", ".", "-", "_", "/", "@", " ", "(", ")", "?q=1", "👩‍💻", "🇩🇪", "é"]
)


@pytest.mark.parametrize(("weight", "text"), _CASES, ids=lambda value: ascii(value)[:40])
def test_it_counts_as_the_library_of_x(weight: int, text: str) -> None:
    assert weighted_length(text) == weight


def test_the_fixture_is_large() -> None:
    assert len(_CASES) >= 250


def test_measure_counts_for_x() -> None:
    length = length_of(PostingPlatform.X, "https://example.com/a/long/path/to/somewhere 👩‍💻", PostType.TEXT)
    assert length.used == 26


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_links_lie_in_the_text_and_apart(text: str) -> None:
    ends = 0
    for start, end in find_links(text):
        assert ends <= start < end <= len(text)
        assert "." in text[start:end]
        ends = end


@given(st.text(), st.text())
def test_texts_apart_add_up(one: str, other: str) -> None:
    assert weighted_length(f"{one}\n\n{other}") == weighted_length(one) + 2 + weighted_length(other)


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("日" * 10_000 + "-.com", 0),
        ("日." * 5_000 + "日_.com", 0),
        ("a.com/" + "(a" * 10_000, 1),
        ("a.com/" + "a!" * 10_000 + "(", 0),
        ("a.com/" + "a!" * 2_000 + "(", 1),
        ("http://a.com?" + "!" * 10_000, 1),
        ("xn--" * 5_000 + ".com", 0),
    ],
    ids=["hyphen", "dots", "parentheses", "too long", "path", "query", "punycode"],
)
def test_no_text_takes_long(text: str, links: int) -> None:
    """Matched naively, most of these take minutes."""
    assert len(find_links(text)) == links


_DIFFERENT: Final = "".join(chr(0x4E00 + 97 * number) for number in range(23))


@pytest.mark.parametrize(
    ("label", "is_link"),
    [
        ("a" * 63, True),
        ("a" * 64, False),
        (_DIFFERENT[:6], True),
        (_DIFFERENT[:22], True),  # 63 characters in ASCII
        (_DIFFERENT, False),
        ("a" * 20 + "\u3002" + "b" * 20, True),
        ("a" * 40 + "\u3002" + "b" * 40, False),
        ("\u3002" + "a" * 30, True),
    ],
)
def test_labels_are_as_long_as_a_name_server_allows(label: str, is_link: bool) -> None:
    text = f"http://{label}.com"
    assert find_links(text) == ([(0, len(text))] if is_link else [])


@pytest.mark.parametrize(
    ("text", "expected"), [("$ABC", 1), ("$ABC and $DEF.A", 2), ("US$5", 0), ("$5 a$BC $TOOLONGS", 0)]
)
def test_cashtags(text: str, expected: int) -> None:
    assert cashtags(text) == expected
