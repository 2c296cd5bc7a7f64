"""What platforms say of accounts and items is cut to what can be stored, because anybody may run a server."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import WORD_MAX
from app.platforms.base import COUNT_MAX, METRIC_MAX, Board, ContentMetrics, PlatformError, Profile

_NUMBERS = st.none() | st.integers()
_TEXTS = st.none() | st.text(st.characters(categories=["Cc", "Cs", "L"]), max_size=20)


@given(views=_NUMBERS, likes=_NUMBERS, followers=_NUMBERS, pins=_NUMBERS)
def test_numbers_fit_the_store(
    views: int | None, likes: int | None, followers: int | None, pins: int | None
) -> None:
    metrics = ContentMetrics("1", views, likes, None, 0)
    counts = Profile("1", follower_count=followers).follower_count, Board("1", "", None, None, pins).pin_count
    for given_number, kept, most in (
        *((views, metrics.views, METRIC_MAX), (likes, metrics.likes, METRIC_MAX)),
        *((followers, counts[0], COUNT_MAX), (pins, counts[1], COUNT_MAX)),
    ):
        assert kept == (None if given_number is None else sorted((0, given_number, most))[1])


@given(_TEXTS, _TEXTS)
def test_names_are_lines_without_what_no_database_stores(shown: str | None, user: str | None) -> None:
    profile = Profile("1", display_name=shown, username=user)
    for given_name, kept in ((shown, profile.display_name), (user, profile.username)):
        assert (kept is None) == (given_name is None)
        assert re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", kept or "") is None
        assert len(kept or "") == len(given_name or "")


def test_long_names_are_cut_and_long_addresses_left_out() -> None:
    profile = Profile("1", display_name="x" * 3_900_000, avatar_url="https://x.example/" + "x" * 9_000)
    assert profile.display_name == "x" * WORD_MAX
    assert profile.avatar_url is None
    assert len(Board("1", "x" * 3_900_000, None, None, None).name) == WORD_MAX
    assert Profile("1", avatar_url="https://x.example/a.png").avatar_url == "https://x.example/a.png"


def test_an_identifier_is_never_cut() -> None:
    assert Profile("x" * 200).account_identifier == "x" * 200
    with pytest.raises(PlatformError, match="more than 200 characters"):
        Profile("x" * 201)
