"""Figures in the language that is spoken."""

from collections.abc import Iterator

import pytest

from app import language
from app.workspace.sizes import data_size


@pytest.fixture
def german() -> Iterator[None]:
    """Speaks German during a test."""
    language.use("de")
    yield
    language.use("en")


def test_in_english_a_figure_is_as_it_was_written() -> None:
    assert language.figure("1,234.5") == "1,234.5"


@pytest.mark.usefixtures("german")
def test_in_german_comma_and_point_change_places() -> None:
    assert language.figure("1,234.5") == "1.234,5"
    assert language.figure("4,000 × 3,000") == "4.000 × 3.000"  # noqa: RUF001  the sign for sizes


@pytest.mark.usefixtures("german")
def test_sizes_of_data_are_german() -> None:
    assert [data_size(size) for size in (1, 2, 1_024 * 1_024 * 5 // 2)] == ["1 Byte", "2 Byte", "2,5 MB"]
