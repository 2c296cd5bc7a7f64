"""What rules an item out as a publication, and what doesn't."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.platforms.facebook.adapter import _MENTION
from app.platforms.likeness import compare, has_link, shows_text


@pytest.mark.parametrize(
    ("traits", "is_edited", "verdict"),
    [
        ((True, True), None, True),
        ((True, True), True, True),
        ((True, False), False, False),
        ((None, False), False, False),
        ((True, False), True, None),
        ((True, False), None, None),
        ((True, None), False, None),
    ],
)
def test_only_a_difference_in_an_item_that_nobody_edited_rules_it_out(
    traits: tuple[bool | None, ...], is_edited: bool | None, verdict: bool | None
) -> None:
    assert compare(*traits, is_edited=is_edited) is verdict


@given(st.text(), st.booleans())
def test_a_text_shows_itself(text: str, has_names: bool) -> None:
    assert shows_text(text, text, _MENTION if has_names else None)


REWRITTEN = [
    ("See http://example.com/a", "See Example.COM/a"),
    ("See http://xn--mller-kva.de", "See müller.de"),
    ("See https://twitter.com/u/status/1", "See https://x.com/u/status/1"),
    ("See https://lnkd.in/abc now", "See https://example.com/a?b=1 now"),
    ("見て https://t.co/abc。次", "見て https://example.com/。次"),
    ("ab", "a\u200bb"),
    ("\u2764 Hi", "\u2764\ufe0f Hi"),
    ("a \u2013 b", "a - b"),
    ("Thanks Some Page and Another!", "Thanks @[123456] and @[78:Another]!"),
    ("Some Page", "@[123456]"),
]


@pytest.mark.parametrize(("shown", "wanted"), REWRITTEN)
def test_a_text_that_a_platform_may_have_rewritten_is_not_ruled_out(shown: str, wanted: str) -> None:
    assert shows_text(shown, wanted, _MENTION) is None


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("Part 1", "Part 2"),
        ("", "a"),
        ("Part 1 https://example.com", "Part 2 https://example.com"),
        ("Hello Some Page", "Thanks @[123456]"),
        ("Thanks Some Page", "Thanks @[123456] and more"),
        ("ab", "ab @[1] ab"),
        ("abxab", "ab @[1] y @[2] ab"),
    ],
)
def test_other_words_are_another_text(shown: str, wanted: str) -> None:
    assert shows_text(shown, wanted, _MENTION) is False


def test_no_longer_text_is_compared() -> None:
    assert shows_text("a" + "," * 39_999, "a") is None
    assert shows_text("a" + "," * 40_000, "a") is False


def test_what_may_be_a_link() -> None:
    assert all(map(has_link, ["https://a", "see example.org/x", "ftp://[::1]", "a.b"]))
    assert not any(map(has_link, ["Hello. World", "1 : 2", "...", ""]))
