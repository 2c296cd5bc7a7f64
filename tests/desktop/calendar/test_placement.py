from collections.abc import Callable
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostStatus
from app.desktop.calendar.placement import (
    DAY_HEAD,
    LINE_HEIGHT,
    NOTED_HEIGHT,
    QUIET_HEIGHT,
    TALL_HEIGHT,
    Box,
    CardStyle,
    DayLayout,
    height_in_month,
    place_in_month,
)
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.memory import post


def day_of(count: int) -> list[PlannedPost]:
    return [post(f"{number:03}", 1_000 * number) for number in range(count)]


def in_month(count: int, width: int = 170, height: int = 148, lines: int = 2) -> DayLayout:
    return place_in_month(day_of(count), width, height, lambda _post, _width, _height: lines)


def assert_apart(boxes: list[Box]) -> None:
    assert not [pair for pair in combinations(boxes, 2) if pair[0].intersects(pair[1])]


@given(st.integers(0, 60), st.integers(60, 400), st.integers(60, 400), st.integers(1, 2))
def test_every_post_of_a_day_is_shown_or_counted(count: int, width: int, height: int, lines: int) -> None:
    layout = in_month(count, width, height, lines)
    shown = [card.post.key for card in layout.cards]
    assert shown == [one.key for one in day_of(count)][: len(shown)]
    assert layout.hidden == count - len(shown)
    assert (layout.more is not None) == bool(layout.hidden)


@given(st.integers(0, 60), st.integers(60, 400), st.integers(60, 400), st.integers(1, 2))
def test_cards_of_a_day_stay_in_it_and_apart(count: int, width: int, height: int, lines: int) -> None:
    layout = in_month(count, width, height, lines)
    boxes = [card.box for card in layout.cards] + ([layout.more] if layout.more else [])
    assert_apart(boxes)
    for box in boxes:
        assert box.x >= 0
        assert box.x + box.width <= width
        assert box.y >= DAY_HEAD
        assert box.y + box.height <= height


def test_one_or_two_posts_use_the_room_of_the_day() -> None:
    assert {card.style for card in in_month(2).cards} == {CardStyle.TALL}


def test_three_or_four_take_one_line_each() -> None:
    for count in (3, 4):
        layout = in_month(count)
        assert [card.style for card in layout.cards] == [CardStyle.LINE] * count
        assert {card.box.height for card in layout.cards} == {LINE_HEIGHT}


def test_a_narrow_day_shows_a_time_before_it_counts_a_post() -> None:
    styles = [CardStyle.MEDIUM, CardStyle.MEDIUM, CardStyle.LINE]
    layout = in_month(3, 100, 131)
    assert ([card.style for card in layout.cards], layout.more) == (styles, None)
    layout = in_month(9, 100, 150)
    assert ([card.style for card in layout.cards], layout.hidden) == (styles, 6)


def test_what_does_not_fit_is_counted() -> None:
    layout = in_month(9)
    assert (len(layout.cards), layout.hidden) == (4, 5)


def test_posts_that_failed_show_before_those_that_are_counted() -> None:
    day = day_of(9)
    day[6] = day[6]._replace(status=PostStatus.FAILED)
    layout = place_in_month(day, 170, 148, lambda *_: 2, urgent={"006"})
    assert [card.post.key for card in layout.cards] == ["000", "001", "002", "006"]
    assert layout.hidden == 5


def before(number: int) -> Callable[[PlannedPost], bool]:
    """The first posts of a day are over."""
    return lambda one: int(one.key) < number


def test_what_is_over_takes_a_quiet_line_and_leaves_the_others_their_cards() -> None:
    layout = place_in_month(day_of(4), 170, 190, lambda *_: 2, before(2))
    assert [(card.style, card.box.height) for card in layout.cards] == [
        (CardStyle.QUIET, QUIET_HEIGHT),
        (CardStyle.QUIET, QUIET_HEIGHT),
        (CardStyle.TALL, TALL_HEIGHT),
        (CardStyle.TALL, TALL_HEIGHT),
    ]


def test_a_post_that_needs_somebody_stays_tall_among_lines() -> None:
    day = day_of(4)
    day[1] = day[1]._replace(status=PostStatus.FAILED)
    lines = lambda post, *_: 3 if post.status is PostStatus.FAILED else 2  # noqa: E731
    layout = place_in_month(day, 170, 190, lines, urgent={"001"})
    assert [card.box.height for card in layout.cards] == [LINE_HEIGHT, NOTED_HEIGHT, LINE_HEIGHT, LINE_HEIGHT]


@given(st.integers(0, 8), st.integers(0, 8), st.integers(60, 400), st.integers(60, 900), st.integers(1, 3))
def test_the_needed_height_shows_all_of_a_day(
    count: int, over: int, width: int, most: int, lines: int
) -> None:
    posts = day_of(count)
    needed = height_in_month(posts, width, most, lambda *_: lines, before(over))
    assert needed <= most
    layout = place_in_month(posts, width, needed, lambda *_: lines, before(over))
    assert needed == most or not layout.hidden


@given(st.integers(0, 60), st.integers(0, 60), st.integers(60, 400), st.integers(60, 400))
def test_quiet_lines_stay_in_their_day_and_apart(count: int, over: int, width: int, height: int) -> None:
    layout = place_in_month(day_of(count), width, height, lambda *_: 2, before(over))
    boxes = [card.box for card in layout.cards] + ([layout.more] if layout.more else [])
    assert_apart(boxes)
    assert all(box.y >= DAY_HEAD and box.y + box.height <= height for box in boxes)
    assert len(layout.cards) + layout.hidden == count


def test_a_crowded_day_looks_only_at_the_posts_it_shows() -> None:
    asked: list[str] = []

    def is_quiet(one: PlannedPost) -> bool:
        asked.append(one.key)
        return False

    layout = place_in_month(day_of(999), 170, 148, lambda *_: 2, is_quiet)
    assert layout.hidden == 995
    assert len(asked) == 5
