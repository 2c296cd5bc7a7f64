"""The law of waiting: a few failures are free, then each one doubles the wait, up to an hour."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.service.accounts.passwords import WAIT_FIRST, WAIT_LONGEST, Subject

COUNTS = st.integers(min_value=0, max_value=10**9)


@given(COUNTS)
def test_the_wait_never_shrinks_and_never_exceeds_an_hour(count: int) -> None:
    name = Subject.login("ines")

    assert timedelta() <= name.wait(count) <= name.wait(count + 1) <= WAIT_LONGEST
    assert (name.wait(count) == timedelta()) == (count < name.free)


def test_it_begins_with_half_a_minute_and_doubles() -> None:
    name = Subject.login("ines")

    waits = [name.wait(name.free + number) for number in range(8)]

    assert waits == [*(WAIT_FIRST * 2**number for number in range(7)), WAIT_LONGEST]


@given(COUNTS)
def test_an_address_has_more_free_tries_than_a_name(count: int) -> None:
    assert Subject.address("192.0.2.7").wait(count) <= Subject.login("ines").wait(count)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("", "", True),
        ("", "unix", False),
    ],
)
def test_a_household_is_one_address(one: str, other: str, same: bool) -> None:
    assert (Subject.address(one) == Subject.address(other)) is same


def test_a_name_is_no_address() -> None:
    assert Subject.login("192.0.2.7").name != Subject.address("192.0.2.7").name
