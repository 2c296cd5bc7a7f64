"""How names are found by what is typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.palette.lookup import Fit, folded, match, word_spans


@pytest.mark.parametrize(
    ("typed", "name", "fit", "found"),
    [
        ("go", "Go to date…", Fit.BEGINNING, ["Go"]),
        ("go da", "Go to date…", Fit.BEGINNING, ["Go", "da"]),
        ("date", "Go to date…", Fit.WORDS, ["date"]),
        ("date go", "Go to date…", Fit.WORDS, ["date", "Go"]),
        ("gtd", "Go to date…", Fit.INITIALS, ["G", "t", "d"]),
        ("port", "Export to a calendar file…", Fit.PART, ["port"]),
        ("mnth", "Show month", Fit.LETTERS, ["m", "n", "t", "h"]),
        ("CAFE", "The Café", Fit.WORDS, ["Café"]),
    ],
)
def test_word_beginnings_fit_best_then_parts_then_letters(
    typed: str, name: str, fit: Fit, found: list[str]
) -> None:
    fitting = match(typed, name)
    assert fitting is not None
    assert fitting.fit is fit
    assert [name[start:end] for start, end in fitting.spans] == found


@pytest.mark.parametrize("typed", ["xyz", "month show week", "mt", "nthm"])
def test_what_is_not_in_a_name_does_not_find_it(typed: str) -> None:
    assert match(typed, "Show month") is None


def test_letters_far_from_each_other_are_no_match() -> None:
    assert match("swp", "Show everything that was kept") is None


def test_nothing_typed_fits_everything() -> None:
    assert match(" …", "Show month") == (Fit.BEGINNING, ())


@given(st.text(), st.text())
def test_what_was_found_lies_within_the_name(typed: str, name: str) -> None:
    assert len(folded(name)) == len(name)
    fitting = match(typed, name)
    for start, end in (*(fitting.spans if fitting else ()), *word_spans(typed, name)):
        assert 0 <= start < end <= len(name)


@given(st.text(alphabet="abcé", min_size=1), st.text(alphabet="abc -"), st.text(alphabet="abc -"))
def test_a_word_is_found_wherever_it_begins(word: str, before: str, after: str) -> None:
    fitting = match(word[:2], f"{before} {word}{after}")
    assert fitting is not None
    assert fitting.fit <= Fit.WORDS


def test_the_words_of_a_text_are_marked_as_far_as_they_were_typed() -> None:
    text = "Wool, three weights of woollen cloth"
    assert [text[start:end] for start, end in word_spans("WOOL thr", text)] == ["Wool", "thr", "wool"]
