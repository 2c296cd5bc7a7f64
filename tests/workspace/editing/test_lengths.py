"""Where a text becomes too long for a platform."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostType
from app.workspace.editing.lengths import counts, overflow
from app.workspace.rules import RULES, length_of

X, YOUTUBE = PostingPlatform.X, PostingPlatform.YOUTUBE
TEXT = PostType.TEXT
LONG = "wool " * 56  # 280 characters with the space at the end

_PARTS = st.sampled_from(
    ["wool ", "寿", "🧶", "👩🏽‍🎨 ", "#slow\n", "a" * 60, "okafor.studio/coat ", "é ", "   "]
)


def test_a_text_that_fits_is_marked_nowhere() -> None:
    assert overflow(X, "Short.", TEXT) == len("Short.")
    assert overflow(X, "", TEXT) == 0


def test_the_mark_begins_at_the_first_word_that_does_not_fit() -> None:
    text = LONG + "opens the same day"
    assert text[overflow(X, text, TEXT) :] == "opens the same day"


def test_a_word_that_fits_in_part_is_marked_as_a_whole() -> None:
    text = LONG[:-3] + "tailored"
    assert text[overflow(X, text, TEXT) :] == "wotailored"


def test_a_text_without_spaces_is_divided_between_characters() -> None:
    assert overflow(X, "a" * 300, TEXT) == 280
    assert overflow(X, "寿" * 150, TEXT) == 140
    family = "👩‍👩‍👧"
    assert overflow(X, family * 150, TEXT) % len(family) == 0


def test_few_characters_of_many_bytes_are_too_long_for_bluesky() -> None:
    bluesky, family = PostingPlatform("bluesky"), "👩‍👩‍👧‍👦"  # 1 character, 25 bytes
    text = family * 200
    assert overflow(bluesky, text, TEXT) == 120 * len(family)
    (count,) = counts([(bluesky, text)], TEXT)
    assert (count.used, count.allowed) == (5000, 3000)
    (shorter,) = counts([(bluesky, family * 100)], TEXT)
    assert (shorter.used, shorter.allowed) == (100, 300)


def test_a_link_counts_as_x_counts_it() -> None:
    link = "https://okafor.studio/" + "coat" * 30
    text = "wool " * 51 + link  # 255 and 23 characters
    assert overflow(X, text, TEXT) == len(text)
    assert text[overflow(X, text + " and more", TEXT) :] == ""
    assert (text + " and more")[overflow(X, text + " and more", TEXT) :] == "and more"


@given(st.sampled_from(sorted(RULES)), st.lists(_PARTS, max_size=400).map("".join))
def test_what_is_not_marked_fits(platform: PostingPlatform, text: str) -> None:
    at = overflow(platform, text, TEXT)
    assert length_of(platform, text[:at].rstrip(), TEXT).over <= 0
    assert (at == len(text)) == (length_of(platform, text, TEXT).over <= 0)


@pytest.mark.parametrize(("length", "is_close"), [(260, False), (261, True), (280, True), (300, True)])
def test_a_count_is_close_with_fewer_than_20_characters_left(length: int, is_close: bool) -> None:
    (count,) = counts([(X, "a" * length)], TEXT)
    assert count.is_close is is_close
