"""The length of texts on Mastodon."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from app.platforms.mastodon.text import mastodon_length

_PLAIN = st.text(st.characters(exclude_characters="@:/.", exclude_categories=["Cs"]), max_size=60)
_LINKS = st.sampled_from(
    [
        "https://a.example.com",
        "http://wool.org/a/b?c=d&e=f#g",
        "https://en.wikipedia.org/wiki/Wool_(fibre)",
        "https://münchen.de/weg/übersicht",
        "gemini://wool.org",
        "https://example.com:8080/" + "a" * 300,
    ]
)
_NAMES = st.from_regex(r"[a-z0-9_]{1,20}", fullmatch=True)


def graphemes(text: str) -> int:
    return len(regex.findall(r"\X", text))


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        ("Grüße", 5),
        ("👩\u200d💻 e\u0301", 3),
        ("https://example.com", 23),
        ("(see https://example.com/wool_(fibre), yes)", 34),
        ("https://example.com/a.", 24),
        ("https://example.com?a=b", 23),
        ("example.com", 11),  # without a scheme, it's no link
        ("xhttps://example.com", 20),
        ("#https://example.com", 20),
        ("https://wool.notanending", 24),
        ("@robin@wool.example", 6),
        ("cc @robin@wool.example, @kim", 15),
        ("mail robin@wool.example", 23),
        ("https://wool.org/@robin@example.com", 23),
        ("a/@robin@wool.example", 21),
    ],
)
def test_lengths(text: str, length: int) -> None:
    assert mastodon_length(text) == length


@given(_PLAIN)
def test_a_text_without_links_and_mentions_counts_what_is_shown(text: str) -> None:
    assert mastodon_length(text) == graphemes(text)


@given(_PLAIN, _LINKS, _PLAIN, st.integers(1, 100))
def test_a_link_counts_the_same_however_long_it_is(before: str, link: str, after: str, counted: int) -> None:
    around = graphemes(f"{before} ") + graphemes(f" {after}")
    assert mastodon_length(f"{before} {link} {after}", counted) == around + counted


@given(_PLAIN, _NAMES, _NAMES)
def test_a_mention_counts_without_its_server(before: str, name: str, host: str) -> None:
    text = f"{before} @{name}"
    assert mastodon_length(f"{text}@{host}.example !") == graphemes(f"{text} !")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
def test_no_text_counts_less_than_its_links_and_names(text: str) -> None:
    assert 0 <= mastodon_length(text) <= graphemes(text) + 22 * text.count("://")


def test_hostile_texts_take_linear_time() -> None:
    for piece in ("https://a", "a.", "https://a.com/(", "@a@", "https://a.com/a)", "((", "-._"):
        assert mastodon_length(piece * (40_000 // len(piece))) >= 0
