"""Rendering the "little text" format."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.practice.platforms.linkedin_organizations import shown_text


@given(st.text())
def test_escaped_text_is_shown_as_it_was_written(text: str) -> None:
    escaped = re.sub(r"([\\|{}@\[\]()<>#*_~])", r"\\\1", text)
    assert shown_text(escaped) == text


@pytest.mark.parametrize(
    ("commentary", "shown"),
    [
        ("Cut here (and not there", "Cut here "),
        (r"{hashtag|\#|kalends} and {hashtag|#|plain}", "#kalends and #plain"),
        (r"Thanks @[Ada \(L\)](urn:li:person:abc-1)!", "Thanks Ada (L)!"),
        ("A backslash \\ alone", "A backslash \\ alone"),
    ],
)
def test_elements_and_mistakes_are_shown_as_readers_see_them(commentary: str, shown: str) -> None:
    assert shown_text(commentary) == shown
