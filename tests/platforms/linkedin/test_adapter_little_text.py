"""Escaping for LinkedIn loses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.platforms.linkedin.adapter import escape, unescape

_RESERVED = r"\|{}@[]()<>#*_~"


@given(st.text() | st.text(st.sampled_from(_RESERVED + "a ")))
def test_what_is_escaped_reads_as_it_was(text: str) -> None:
    assert unescape(escape(text)) == text


@given(st.text(st.sampled_from(_RESERVED + "a ")))
def test_nothing_reserved_stands_alone(text: str) -> None:
    commentary = escape(text)
    place = 0
    while place < len(commentary):
        if commentary[place] == "\\":
            assert commentary[place + 1] in _RESERVED
            place += 2
        else:
            assert commentary[place] not in _RESERVED
            place += 1


@pytest.mark.parametrize("char", _RESERVED)
def test_each_reserved_character(char: str) -> None:
    assert escape(char) == f"\\{char}"
