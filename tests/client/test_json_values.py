"""Counting JSON values before parsing."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.json_values import TooManyValuesError, ValueCounter, require_few_values

_texts = st.text(st.sampled_from('a,[{}]":\\é \u2028'), max_size=12)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | _texts,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(_texts, inner, max_size=6),
    max_leaves=40,
)


def _values(told: Any) -> int:
    inner = told.values() if isinstance(told, dict) else told if isinstance(told, list) else ()
    return 1 + sum(map(_values, inner))


@given(told=_json, cuts=st.lists(st.integers(0, 400), max_size=6), most=st.integers(1, 60))
def test_it_is_all_the_same_in_which_pieces_it_comes(told: Any, cuts: list[int], most: int) -> None:
    body = json.dumps(told).encode()
    counter, places = ValueCounter(most), [0, *sorted(cuts), len(body)]
    try:
        for start, end in pairwise(places):
            counter.add(body[start:end])
    except TooManyValuesError:
        assert not _is_allowed(body, most)
    else:
        assert _is_allowed(body, most)


def _is_allowed(body: bytes, most: int) -> bool:
    try:
        require_few_values(body, most)
    except TooManyValuesError:
        return False
    return True


@given(told=_json, escaped=st.booleans(), most=st.integers(1, 60))
def test_no_json_of_more_values_passes_and_none_of_half_as_many_is_refused(
    told: Any, escaped: bool, most: int
) -> None:
    body = json.dumps(told, ensure_ascii=escaped).encode()
    if _values(told) > most + 1:
        assert not _is_allowed(body, most)
    if 2 * _values(told) <= most:
        assert _is_allowed(body, most)


@pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 131_072, 200_001])
@pytest.mark.parametrize("character", ["\\", '"', ",", "[", "é", "x"])
def test_marks_in_long_texts_are_no_values(character: str, length: int) -> None:
    body = json.dumps({"a": character * length, "b": ["," * length]}).encode()
    assert _is_allowed(body, 3)
    assert not _is_allowed(body, 2)


@pytest.mark.parametrize("piece", [b"[],", b"{},", b"0,", b'"",', b"[[[[[[0]]]]]],"], ids=ascii)
def test_a_long_list_of_little_is_refused(piece: bytes) -> None:
    assert not _is_allowed(b"[" + piece * 100_000 + b"0]", 50_000)


def test_keys_count_also_where_they_are_all_the_same() -> None:
    assert not _is_allowed(b"{" + b'"":0,' * 100_000 + b'"":0}', 50_000)
