"""The parts of a card: inside it, beside each other, and a stand-in always marked as one."""

from itertools import combinations, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop.calendar.looks import (
    CIRCLE_STEP,
    LINE_PITCH,
    Look,
    Parts,
    Sizes,
    Wanted,
    arrange,
    arrange_quiet,
    look_of,
)
from app.desktop.calendar.placement import LINE_HEIGHT, QUIET_HEIGHT, STACKED_BELOW, TALL_HEIGHT, Box
from app.desktop.words import platform_name
from app.workspace.posts.planned import PlannedPost

SIZES = Sizes(time=31, tag=48, letter=8)
NARROWEST = 74  # the month beside the composer in a window of 1280
accounts = st.integers(1, 12)
wanted = st.builds(Wanted, *[st.booleans()] * 5, result=st.just(0), accounts=accounts)
widths = st.integers(NARROWEST, 320)
heights = st.integers(LINE_HEIGHT, TALL_HEIGHT)


def marks(parts: Parts) -> list[Box]:
    found = (parts.glyph, parts.time, parts.state, parts.tile, parts.tag)
    return [box for box in found if box is not None]


@given(widths, heights, wanted)
@example(74, 30, Wanted(tile=False, state=True, practice=True, note=False))
def test_marks_never_overlap_and_never_leave_the_card(width: int, height: int, wish: Wanted) -> None:
    parts = arrange(width, height, wish, SIZES)

    for one, other in combinations(marks(parts), 2):
        assert not one.intersects(other)
    for box in marks(parts):
        assert box.x >= 0
        assert box.x + box.width <= width
        assert box.y >= 0
        assert box.y + box.height <= height


@given(widths, heights, wanted)
def test_a_practice_card_is_marked_whatever_its_size(width: int, height: int, wish: Wanted) -> None:
    has_text_line = height >= 38 or width >= 100 + (SIZES.letter if wish.letter else 0)
    parts = arrange(width, height, wish._replace(practice=True), SIZES)

    assert parts.tag is not None or not has_text_line


@given(st.integers(16, 73), heights, wanted)
def test_accounts_stay_inside_the_narrowest_cards(width: int, height: int, wish: Wanted) -> None:
    for found in (arrange(width, height, wish, SIZES), arrange_quiet(width, height, wish, SIZES)):
        assert found.glyph.x >= 0
        assert found.glyph.x + found.glyph.width <= width


def test_a_time_that_comes_twice_has_room_for_its_letter() -> None:
    once = Wanted(tile=False, state=False, practice=False, note=False)
    for width, height in ((60, TALL_HEIGHT), (140, TALL_HEIGHT), (140, LINE_HEIGHT)):
        usual, longer = (arrange(width, height, once._replace(letter=one), SIZES) for one in (False, True))
        assert longer.time.width == usual.time.width + SIZES.letter
        assert not longer.time.intersects(longer.text)


@given(widths, wanted)
def test_a_line_has_no_lone_ellipsis(width: int, wish: Wanted) -> None:
    text = arrange(width, LINE_HEIGHT, wish, SIZES).text
    assert text.width == 0 or text.width >= 28


def test_a_line_without_words_shows_its_state() -> None:
    wish = Wanted(tile=False, state=True, practice=False, note=False)
    narrow, wide = (arrange(width, LINE_HEIGHT, wish, SIZES) for width in (80, 100))
    assert (narrow.text.width, narrow.state is not None) == (0, True)
    assert (wide.text.width > 0, wide.state is not None) == (True, False)


@given(st.integers(30, 60), st.integers(2 * LINE_PITCH, TALL_HEIGHT - 1))
def test_a_narrow_card_shows_its_time_rather_than_an_ellipsis(width: int, height: int) -> None:
    wish = Wanted(tile=False, state=True, practice=False, note=False)
    parts = arrange(width, height, wish, SIZES)
    assert parts.text.width == 0 or parts.text.width >= 28
    assert parts.text.width or bool(parts.time.width) is (width >= SIZES.time + 5)
    assert not parts.time.width or parts.time.x + parts.time.width <= width


@given(st.integers(36, STACKED_BELOW - 1), wanted)
def test_a_lane_of_the_week_keeps_its_parts_apart(width: int, wish: Wanted) -> None:
    parts = arrange(width, TALL_HEIGHT, wish, SIZES)

    assert not parts.glyph.intersects(parts.time)
    assert not parts.time.width or parts.time.x + parts.time.width <= width
    assert all(not parts.time.intersects(box) for box in (parts.state, parts.tile, parts.tag) if box)


@given(widths, st.builds(Wanted, *[st.booleans()] * 5, result=st.integers(0, 40), accounts=accounts))
def test_the_parts_of_a_quiet_line_are_beside_each_other(width: int, wish: Wanted) -> None:
    parts = arrange_quiet(width, QUIET_HEIGHT, wish, SIZES)
    there = [*marks(parts), parts.text] + ([parts.result] if parts.result else [])

    for one, other in combinations(there, 2):
        assert not one.intersects(other)
    for box in there:
        assert box.x >= 0
        assert box.x + box.width <= max(width, parts.text.x)


def test_a_quiet_line_shows_its_result_or_else_its_state() -> None:
    wish = Wanted(tile=False, state=True, practice=False, note=False)

    assert arrange_quiet(140, QUIET_HEIGHT, wish, SIZES).state is not None
    parts = arrange_quiet(140, QUIET_HEIGHT, wish._replace(result=30), SIZES)
    assert parts.state is None
    assert parts.result is not None
    assert parts.result.x + parts.result.width == 140 - 4


@pytest.mark.parametrize(("room", "has_state"), [(70, True), (50, False), (30, False)])
def test_words_of_a_quiet_line_are_worth_more_than_its_tick(room: int, has_state: bool) -> None:
    wish = Wanted(tile=False, state=True, practice=False, note=False)
    start = arrange_quiet(200, QUIET_HEIGHT, wish, SIZES).text.x
    parts = arrange_quiet(start + room + 4, QUIET_HEIGHT, wish, SIZES)
    assert (parts.state is not None) is has_state
    assert parts.text.width == (room - 17 + 2 if has_state else room + 5)  # the gaps around a few letters


def test_a_quiet_line_has_no_lone_ellipsis() -> None:
    wish = Wanted(tile=False, state=True, practice=False, note=False)
    start = arrange_quiet(200, QUIET_HEIGHT, wish, SIZES).text.x
    parts = arrange_quiet(start + 24 + 4, QUIET_HEIGHT, wish, SIZES)
    assert (parts.text.width, parts.state is not None) == (0, True)


@pytest.mark.parametrize(("room", "has_result"), [(64, True), (62, False), (30, False), (27, True)])
def test_words_of_a_quiet_line_are_worth_more_than_its_result(room: int, has_result: bool) -> None:
    wish = Wanted(tile=False, state=False, practice=False, note=False)
    start = arrange_quiet(200, QUIET_HEIGHT, wish, SIZES).text.x
    result = 30 if room > 30 else 20
    parts = arrange_quiet(start + room + 4, QUIET_HEIGHT, wish._replace(result=result), SIZES)
    assert (parts.result is not None) is has_result
    wide = room - 35 + 2 if has_result else room + 5 if room < 60 else room
    assert parts.text.width == (0 if room < 28 else wide)


def test_a_picture_reaches_to_the_edge_of_its_card() -> None:
    wish = Wanted(tile=True, state=False, practice=False, note=False)

    for width, height, wide in ((160, TALL_HEIGHT, 44), (160, LINE_HEIGHT, 24), (400, TALL_HEIGHT, 64)):
        assert arrange(width, height, wish, SIZES).tile == Box(width - 1 - wide, 1, wide, height - 2)


@given(widths, heights, wanted)
def test_accounts_overlap_in_a_row_of_one_to_four(width: int, height: int, wish: Wanted) -> None:
    parts = arrange(width, height, wish, SIZES)
    if wish.accounts == 1:
        assert parts.circles == ()
        return
    assert 1 <= len(parts.circles) <= min(4, wish.accounts)
    assert all(after.x - before.x == CIRCLE_STEP for before, after in pairwise(parts.circles))
    assert parts.glyph.x == parts.circles[0].x
    assert parts.glyph.x + parts.glyph.width == parts.circles[-1].x + parts.circles[-1].width


@given(st.integers(64, 320), st.integers(30, TALL_HEIGHT), wanted)
def test_more_accounts_never_take_the_room_of_the_time(width: int, height: int, wish: Wanted) -> None:
    wish = wish._replace(tile=False, letter=False)
    assert arrange(width, height, wish, SIZES).time.width == SIZES.time


@pytest.mark.parametrize(
    ("platform", "by_hand", "status", "look"),
    [
        ("x", True, PostStatus.SCHEDULED, Look.BY_HAND),
        ("x-by-hand", False, PostStatus.SCHEDULED, Look.BY_HAND),
        ("x", False, PostStatus.SCHEDULED, Look.PLANNED),
        ("x", True, PostStatus.PROCESSING, Look.FOR_USER),
        ("x", False, PostStatus.PROCESSING, Look.GOING_OUT),
        ("x", True, PostStatus.CANCELLED, Look.CANCELLED),
    ],
)
def test_posts_by_hand_are_marked(platform: str, by_hand: bool, status: PostStatus, look: Look) -> None:
    posting = PostingPlatform(platform)
    post = PlannedPost("p", 1_000, "a", posting, PostType.TEXT, status, "Wool", by_hand=by_hand)
    assert look_of(post, 0) is look
    assert platform_name(post.ruled_by) == ("X" if look in (Look.PLANNED, Look.GOING_OUT) else "X (by hand)")
