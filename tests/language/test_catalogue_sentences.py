"""Numbers and words within sentences, in each language."""

from collections.abc import Iterator

import pytest

from app.language import mid_sentence, number, sentence_start, use


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    use("en")


@pytest.mark.parametrize(
    ("language", "value", "digits", "written"),
    [
        ("en", 999, 0, "999"),
        ("en", 1_234_567, 0, "1,234,567"),
        ("en", 1_234.56, 1, "1,234.6"),
        ("de", 1_234_567, 0, "1.234.567"),
        ("de", 1_234.56, 1, "1.234,6"),
        ("de", -0.5, 1, "-0,5"),
    ],
)
def test_numbers_are_written_as_the_language_writes_them(
    language: str, value: float, digits: int, written: str
) -> None:
    use(language)
    assert number(value, digits) == written


def test_a_name_is_small_within_an_english_sentence_and_stays_in_a_german_one() -> None:
    assert mid_sentence("Data and backup") == "data and backup"
    use("de")
    assert mid_sentence("Daten und Sicherung") == "Daten und Sicherung"


def test_a_sentence_begins_large_and_keeps_the_rest() -> None:
    assert sentence_start("texts and images") == "Texts and images"
    assert sentence_start("Texte und Bilder") == "Texte und Bilder"
    assert sentence_start("") == ""
