"""Counting grapheme clusters, like Unicode and in linear time."""

import regex
from hypothesis import given
from hypothesis import strategies as st

from app.contract.graphemes import GRAPHEME

# Letters of every kind that decides where a grapheme ends.
LETTERS = "🇩🇪a\u0301\u200d\ufe0f👩👧\u0600\u0903\r\n🏽한가"


@given(st.text(LETTERS) | st.text())
def test_graphemes_are_those_of_unicode(text: str) -> None:
    assert GRAPHEME.findall(text) == regex.findall(r"\X", text)
