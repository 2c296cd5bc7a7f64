"""Numbers in the current language."""

from collections.abc import Iterator
from datetime import date

import pytest

from app import language
from app.desktop import words
from app.language import data_size


@pytest.fixture
def german() -> Iterator[None]:
    """Use German during a test."""
    language.use("de")
    yield
    language.use("en")


def test_in_english_a_figure_is_as_it_was_written() -> None:
    assert language.figure("1,234.5") == "1,234.5"


def test_counts_in_sentences_are_grouped_and_years_are_not() -> None:
    assert language.tr("{n} of {total}", n=1_234, total=12_345_678) == "1,234 of 12,345,678"
    assert language.trn("{n} post", "{n} posts", 4_000) == "4,000 posts"
    assert language.filled("{n}", n=-1_000) == "-1,000"
    assert language.tr("{is_on} {year} {n}", is_on=True, year="2026", n=999) == "True 2026 999"
    assert words.day_long(date(2026, 11, 24)) == "Tuesday 24 November"
    assert words.date_with_year(date(2026, 11, 24)) == "24 Nov 2026"


COUNTS = (0, 999, 1_000, 1_249, 12_944, 40_000, 99_960, 412_300, 999_499, 999_500, 3_140_000, 120_000_000)


def test_counts_on_cards_take_few_characters() -> None:
    found = "0 999 1k 1.2k 12.9k 40k 100k 412k 999k 1M 3.1M 120M"
    assert [language.compact(count) for count in COUNTS] == found.split()


@pytest.mark.usefixtures("german")
def test_short_counts_in_german() -> None:
    assert language.compact(1_249) == "1,2k"
    assert language.compact(3_140_000) == "3,1M"


@pytest.mark.usefixtures("german")
def test_counts_in_german_sentences_have_points() -> None:
    assert language.tr("{n} of {total}", n=1_234, total=12_345_678) == "1.234 of 12.345.678"


@pytest.mark.usefixtures("german")
def test_in_german_comma_and_point_change_places() -> None:
    assert language.figure("1,234.5") == "1.234,5"
    assert language.figure("4,000 × 3,000") == "4.000 × 3.000"  # noqa: RUF001  the sign for sizes


@pytest.mark.usefixtures("german")
def test_sizes_of_data_are_german() -> None:
    assert [data_size(size) for size in (1, 2, 1_024 * 1_024 * 5 // 2)] == ["1 Byte", "2 Byte", "2,5 MB"]


@pytest.mark.parametrize(
    ("size", "next_to", "shown"),
    [
        (322_122_547, 12 * 1_024**3, "0.3 GB"),
        (32_212_254, 12 * 1_024**3, "30.7 MB"),  # not "0 GB"
        (322_122_547, 900_000_000, "307.2 MB"),
        (322_122_547, 0, "307.2 MB"),
    ],
)
def test_sizes_next_to_each_other_have_one_unit(size: int, next_to: int, shown: str) -> None:
    assert data_size(size, next_to) == shown
