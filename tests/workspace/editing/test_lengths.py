"""Where a text becomes too long for a platform."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostType
from app.contract.places import PlaceLimits
from app.workspace.editing.lengths import Ruler, counts, overflow
from app.workspace.rules import RULES, length_of

X, MASTODON = PostingPlatform.X, PostingPlatform("mastodon")
TEXT = PostType.TEXT


def ruler(platform: PostingPlatform, limits: PlaceLimits | None = None, warning: str = "") -> Ruler:
    found = Ruler.of(platform, TEXT, limits, warning)
    assert found is not None
    return found


ON_X = ruler(X)
LONG = "wool " * 56  # 280 characters with the space at the end

_PARTS = st.sampled_from(
    ["wool ", "寿", "🧶", "👩🏽‍🎨 ", "#slow\n", "a" * 60, "okafor.studio/coat ", "é ", "   "]
)


def test_a_text_that_fits_is_marked_nowhere() -> None:
    assert overflow(ON_X, "Short.") == len("Short.")
    assert overflow(ON_X, "") == 0


def test_the_mark_begins_at_the_first_word_that_does_not_fit() -> None:
    text = LONG + "opens the same day"
    assert text[overflow(ON_X, text) :] == "opens the same day"


def test_a_word_that_fits_in_part_is_marked_as_a_whole() -> None:
    text = LONG[:-3] + "tailored"
    assert text[overflow(ON_X, text) :] == "wotailored"


def test_a_text_without_spaces_is_divided_between_characters() -> None:
    assert overflow(ON_X, "a" * 300) == 280
    assert overflow(ON_X, "寿" * 150) == 140
    family = "👩‍👩‍👧"
    assert overflow(ON_X, family * 150) % len(family) == 0


def test_few_characters_of_many_bytes_are_too_long_for_bluesky() -> None:
    bluesky, family = ruler(PostingPlatform("bluesky")), "👩‍👩‍👧‍👦"  # 1 character, 25 bytes
    text = family * 200
    assert overflow(bluesky, text) == 120 * len(family)
    (count,) = counts([(bluesky, text)])
    assert (count.used, count.allowed) == (5000, 3000)
    (shorter,) = counts([(bluesky, family * 100)])
    assert (shorter.used, shorter.allowed) == (100, 300)


def test_a_link_counts_as_x_counts_it() -> None:
    link = "https://okafor.studio/" + "coat" * 30
    text = "wool " * 51 + link  # 255 and 23 characters
    assert overflow(ON_X, text) == len(text)
    assert text[overflow(ON_X, text + " and more") :] == ""
    assert (text + " and more")[overflow(ON_X, text + " and more") :] == "and more"


@given(st.sampled_from(sorted(RULES)), st.lists(_PARTS, max_size=400).map("".join))
def test_what_is_not_marked_fits(platform: PostingPlatform, text: str) -> None:
    at = overflow(ruler(platform), text)
    assert length_of(platform, text[:at].rstrip(), TEXT).over <= 0
    assert (at == len(text)) == (length_of(platform, text, TEXT).over <= 0)


@pytest.mark.parametrize(("length", "is_close"), [(260, False), (261, True), (280, True), (300, True)])
def test_a_count_is_close_with_fewer_than_20_characters_left(length: int, is_close: bool) -> None:
    (count,) = counts([(ON_X, "a" * length)])
    assert count.is_close is is_close


def test_a_servers_own_limit_counts_and_so_does_a_content_warning() -> None:
    small = ruler(MASTODON, PlaceLimits(text_max=20, link_length=10))
    text = "Wool at https://okafor.studio/coats today"
    assert text[overflow(small, text) :] == "today"
    assert text[overflow(ruler(MASTODON), text) :] == ""
    (count,) = counts([(ruler(MASTODON, PlaceLimits(text_max=20), "Knitting"), "a" * 20)])
    assert (count.used, count.allowed) == (28, 20)


def test_of_two_servers_the_one_with_the_least_room_counts() -> None:
    large = ruler(MASTODON, PlaceLimits(text_max=5_000))
    (count,) = counts([(large, "a" * 100), (ruler(MASTODON), "a" * 100)])
    assert count.allowed == 500


def test_an_unknown_platform_has_no_ruler() -> None:
    assert Ruler.of(PostingPlatform("loom"), TEXT) is None
