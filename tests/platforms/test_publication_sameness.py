"""What counts as the same text, and which addresses are passed on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.platforms.publication import same_text
from app.platforms.rest import web_address


@given(st.text())
def test_a_text_is_the_same_as_itself_with_white_space_around(text: str) -> None:
    assert same_text(text, f"\n {text} ")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("see example.org", "see http://example.org"),
        ("see https://example.org now", "see https://example.org/ now"),
        ("cafe\u0301", "café"),
        ("two  spaces\r\nline", "two spaces\nline"),
    ],
)
def test_platforms_tidy_up(one: str, other: str) -> None:
    assert same_text(one, other)


def test_nothing_longer_than_a_post_can_be_is_the_same() -> None:
    assert same_text("a" * 40_000, "a" * 40_000)
    assert not same_text("a" * 40_001, "a" * 40_001)
    assert not same_text("a" + " " * 40_000, "a")


@pytest.mark.parametrize(
    ("one", "other"), [("Part 1", "Part 2"), ("", "a"), ("a b", "ab"), ("example.org/a", "example.org/b")]
)
def test_other_texts_are_others(one: str, other: str) -> None:
    assert not same_text(one, other)


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("https://example.com/a.png", True),
        ("http://127.0.0.1:5000/a", True),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("https://", False),
        ("http://[::1", False),
        ("https://example.com/\n", False),
        ("https://example.com/" + "a" * 5000, False),
        ("", False),
        (None, False),
    ],
)
def test_addresses(address: str | None, taken: bool) -> None:
    assert web_address(address) == (address if taken else None)
