"""Counting and rendering text like X."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.practice.platforms.x_posts import cashtags, shown, weighted_length

FAMILY = "\N{WOMAN}\u200d\N{GIRL}\u200d\N{BOY}"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("hello", 5),
        ("日本", 4),
        ("e\u0301", 1),
        ("\N{GRINNING FACE}", 2),
        (FAMILY, 2),
        ("1\ufe0f\u20e3", 2),
        ("123", 3),
        ("see https://example.com/a/very/long/path?with=query#and-part.", 4 + 23 + 1),
        ("example.com", 23),
        ("kalends.example", 15),
        ("ada@example.com", 15),
        ("two https://a.example/b and http://c.example", 4 + 23 + 5 + 23),
    ],
)
def test_weighted_length(text: str, length: int) -> None:
    assert weighted_length(text) == length


def test_links_are_replaced_and_named() -> None:
    text, (first, second) = shown("A & B: https://example.com/x?a=1&b=2, or example.org", "1")
    assert text == f"A &amp; B: {first.url}, or {second.url}"
    assert [text[link.start : link.end] for link in (first, second)] == [first.url, second.url]
    assert (first.expanded_url, second.expanded_url) == (
        "https://example.com/x?a=1&b=2",
        "http://example.org",
    )
    assert first.display_url == "example.com/x?a=1&b=2"
    assert first.url != second.url


@given(st.text() | st.lists(st.sampled_from(["https://a.example/b", " ", "<", "é", "x.com"])).map("".join))
def test_expanding_the_links_gives_the_text_back(text: str) -> None:
    seen, links = shown(text, "1")
    parts, last = [], 0
    for link in links:
        assert seen[link.start : link.end] == link.url
        parts += [seen[last : link.start], html.escape(link.expanded_url, quote=False)]
        last = link.end
    expanded = html.unescape("".join([*parts, seen[last:]]))
    assert expanded.replace("http://x.com", "x.com") == html.unescape(html.escape(text, quote=False))


@given(st.text(), st.text())
def test_length_is_never_less_than_nothing_and_grows_with_spaced_text(first: str, second: str) -> None:
    assert weighted_length(f"{first} {second}") > weighted_length(first) - 1 >= -1


def test_cashtags() -> None:
    assert cashtags("$ABC and $X.A, not $5 or a$B") == 2
