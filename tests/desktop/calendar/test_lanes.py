from hypothesis import example, given
from hypothesis import strategies as st

from app.desktop.calendar.lanes import LANE_WIDTH, Minutes, place_in_hours
from app.desktop.calendar.placement import INSET, DayLayout
from tests.desktop.calendar.memory import post
from tests.desktop.calendar.test_placement import assert_apart, day_of

MINUTE_HEIGHT = 48 / 60
DAY_HEIGHT = 24 * 48
minutes = st.lists(st.integers(0, 1_439), max_size=40).map(sorted)


def in_week(starts: list[int], width: int = 155, lines: int = 2) -> DayLayout:
    posts = day_of(len(starts))
    return place_in_hours(posts, starts, width, MINUTE_HEIGHT, DAY_HEIGHT, lambda *_: lines)


@given(minutes, st.integers(60, 400))
def test_every_post_of_the_week_is_in_a_lane_or_counted(starts: list[int], width: int) -> None:
    layout = in_week(starts, width)
    keys = [card.post.key for part in (layout.cards, *layout.behind) for card in part]
    assert sorted(keys) == [one.key for one in day_of(len(starts))]
    assert len(layout.cards) + layout.hidden == len(starts)


@given(minutes, st.integers(60, 400))
@example([0, 0, 0, 0], 155)
@example([480, 480, 548, 548, 548, 548], 155)
def test_cards_of_the_week_never_overlap_and_stay_in_the_day(starts: list[int], width: int) -> None:
    layout = in_week(starts, width)
    boxes = [card.box for card in layout.cards] + ([layout.more] if layout.more else [])
    assert_apart(boxes)
    for box in boxes:
        assert box.x >= 0
        assert box.x + box.width <= width
        assert 0 <= box.y <= DAY_HEIGHT - box.height


def test_cards_stand_at_their_time() -> None:
    assert [card.box.y for card in in_week([0, 9 * 60, 12 * 60 + 15]).cards] == [0, 432, 588]


def test_cards_that_would_overlap_share_lanes_even_at_different_times() -> None:
    first, second = in_week([10 * 60, 10 * 60 + 15]).cards
    assert first.box.x + first.box.width < second.box.x
    assert first.box.width == second.box.width < 155 // 2


def test_a_fourth_at_the_same_time_is_counted() -> None:
    layout = in_week([600, 600, 600, 600])
    assert (len(layout.cards), layout.hidden) == (3, 1)
    assert layout.more is not None


@given(minutes, st.integers(60, 400))
def test_lanes_have_room_for_a_time(starts: list[int], width: int) -> None:
    for card in in_week(starts, width).cards:
        assert card.box.width >= min(LANE_WIDTH, width - 2 * INSET)


@given(st.lists(st.integers(0, 1_439), max_size=120).map(sorted), st.integers(60, 400))
def test_a_day_with_and_without_a_clock_change_has_the_same_lanes(starts: list[int], width: int) -> None:
    """Without one, most posts aren't looked at."""
    posts = [post(f"{number:03}", minute * 60_000) for number, minute in enumerate(starts)]
    size = (width, MINUTE_HEIGHT, DAY_HEIGHT, lambda *_: 2)
    changed, usual = place_in_hours(posts, starts, *size), place_in_hours(posts, Minutes(posts, 0), *size)
    assert usual[:3] == changed[:3]
    assert [list(part) for part in usual.behind] == [list(part) for part in changed.behind]
