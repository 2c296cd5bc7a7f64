"""Days that somebody types."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.dates import read_date

TODAY = date(2026, 11, 21)  # a Saturday


@pytest.mark.parametrize(
    ("typed", "day"),
    [
        ("today", date(2026, 11, 21)),
        ("Tomorrow", date(2026, 11, 22)),
        ("next week", date(2026, 11, 28)),
        ("fri", date(2026, 11, 27)),
        ("saturday", date(2026, 11, 28)),
        ("next friday", date(2026, 11, 27)),
        ("3 March", date(2027, 3, 3)),
        ("go to 3 march", date(2027, 3, 3)),
        ("Mar 3", date(2027, 3, 3)),
        ("October 1, 2024", date(2024, 10, 1)),
        ("1 oct", date(2026, 10, 1)),
        ("24.12.", date(2026, 12, 24)),
        ("3.3.2027", date(2027, 3, 3)),
        ("2027-03-03", date(2027, 3, 3)),
        ("29 february", date(2028, 2, 29)),
        ("dec", date(2026, 12, 1)),
        ("march 2028", date(2028, 3, 1)),
    ],
)
def test_a_day_is_read_as_people_write_it(typed: str, day: date) -> None:
    assert read_date(typed, TODAY) == day


@pytest.mark.parametrize("typed", ["", "to", "3", "32 march", "30 february", "new post", "wool", "2027"])
def test_other_words_are_no_day(typed: str) -> None:
    assert read_date(typed, TODAY) is None


@given(st.text(), st.dates(date(1970, 1, 1), date(2200, 1, 1)))
def test_whatever_is_typed_is_a_day_or_none(typed: str, today: date) -> None:
    assert isinstance(read_date(typed, today), date | None)


@given(st.dates(date(1970, 1, 1), date(2200, 1, 1)), st.dates(date(1970, 1, 1), date(2200, 1, 1)))
def test_a_day_with_its_year_is_that_day(day: date, today: date) -> None:
    assert read_date(f"{day.day} {day:%B} {day.year}", today) == day
    assert read_date(day.isoformat(), today) == day
