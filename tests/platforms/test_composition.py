"""The composed form of texts, which takes no longer for many marks."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.platforms.composition import composed

# Marks of several classes, some of which decompose, and letters that they join.
_MARKS = "\u0301\u0323\u0344\u0f71\u0f73\u0315\u093e\u0c4d\u20dd\u0345\u0f72\u3099"
_LETTERS = "ae\u00e9\u0915\u304b\u1100\u1161\u11a8\uac00"


@given(st.lists(st.text(_MARKS, max_size=60) | st.text(_LETTERS, max_size=5), max_size=6).map("".join))
def test_it_is_what_unicode_says(text: str) -> None:
    assert composed(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("marks", ["", "\u0301", "\u0323" * 40 + "\u0301" * 40, "\u0301\u0323" * 40])
def test_letters_with_few_and_with_many_marks(marks: str) -> None:
    text = f"a{marks}\u00e9{marks}"
    assert composed(text) == unicodedata.normalize("NFC", text)
