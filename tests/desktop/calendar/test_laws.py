"""What holds on every page, in every zone, also where the clock changes."""

from datetime import date
from itertools import combinations
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.geometry import HOUR_HEIGHT
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page import Page
from app.desktop.calendar.pages import HoursPage, Pages
from app.desktop.calendar.placement import TALL_HEIGHT
from app.workspace.posts.planned import PlannedPost
from app.workspace.time import wall
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.memory import ListedPosts, instant, post

SIZE = QSize(1_232, 780)
MINUTE = 60_000
LISBON = "Europe/Lisbon"
BACK = instant("2031-10-26T00:00")  # at one the clock of Lisbon goes back
zones = st.sampled_from(sorted(available_timezones() - {"localtime"}))
instants = st.integers(instant("2020-01-01T00:00") // MINUTE, instant("2035-12-31T00:00") // MINUTE).map(
    lambda minute: minute * MINUTE
)
closely = st.lists(st.integers(0, 4 * 24 * 60), min_size=1, max_size=25, unique=True)
spans = st.sampled_from(list(Span))
pytestmark = pytest.mark.usefixtures("qapp")


def page_with(zone: str, span: Span, posts: list[PlannedPost]) -> Page:
    days = LocalDays(ZoneInfo(zone))
    model = ListedPosts(days, lambda posts: posts[0].headline)
    model.fill(posts)
    first = days.place(posts[0].at).day
    return Pages(model, days, lambda _key: None).page(span, first, SIZE)


def posts_from(start: int, minutes: list[int]) -> list[PlannedPost]:
    return [post(str(number), start + minute * MINUTE) for number, minute in enumerate(minutes)]


@given(zones, spans, instants, closely)
@example(LISBON, Span.DAY, BACK, [30, 31, 60, 90, 91, 120])
def test_every_post_is_placed_once_or_counted_and_no_two_overlap(
    zone: str, span: Span, start: int, minutes: list[int]
) -> None:
    posts = posts_from(start, minutes)
    page = page_with(zone, span, posts)
    found: list[str] = []
    hidden = 0
    for day in page.model.days():
        layout = page.cells.layout(day)
        found += [card.post.key for card in layout.cards]
        hidden += layout.hidden
        cell = page.geometry.cell(day)
        assert not [pair for pair in combinations(layout.cards, 2) if pair[0].box.intersects(pair[1].box)]
        for card in layout.cards:
            assert card.box.x + card.box.width <= cell.width
            assert page.days.place(card.post.at).day == day
    assert set(found) <= {one.key for one in posts}
    assert len(found) == len(set(found)) == len(posts) - hidden


@given(st.sampled_from([Span.WEEK, Span.DAY]), closely)
@example(Span.WEEK, [45, 90, 91, 300, 310, 320, 330])
def test_the_second_pass_of_an_hour_narrows_only_what_it_meets(span: Span, minutes: list[int]) -> None:
    posts = posts_from(BACK, minutes)
    page = page_with(LISBON, span, posts)
    again = {one.key for one in posts if page.days.comes_again(one.at)}
    without = page_with(LISBON, span, [one for one in posts if one.key not in again] or posts)
    for day in page.model.days():
        boxes, alone = columns(page, day), columns(without, day)
        for group in touching(page, day):
            if again.isdisjoint(group):
                assert {key: boxes.get(key) for key in group} == {key: alone.get(key) for key in group}


def columns(page: Page, day: int) -> dict[str, tuple[int, int, int]]:
    """Left, top and width of a day's cards."""
    return {card.post.key: card.box[:3] for card in page.cells.layout(day).cards}


def touching(page: Page, day: int) -> list[list[str]]:
    """A day's posts, in groups whose cards could not touch, were they all as wide as the day."""
    groups: list[list[str]] = []
    bottom = -1
    for one in sorted(page.model.on_day(day), key=lambda one: page.days.place(one.at).minute):
        top = min(round(page.days.place(one.at).minute * HOUR_HEIGHT / 60), 24 * HOUR_HEIGHT - TALL_HEIGHT)
        if top >= bottom:
            groups.append([])
        groups[-1].append(one.key)
        bottom = top + TALL_HEIGHT
    return groups


@given(zones, spans, instants, closely)
@example(LISBON, Span.DAY, BACK, [30, 90])
@example(LISBON, Span.MONTH, BACK, [30, 90])
def test_a_card_dropped_where_it_stands_stays(zone: str, span: Span, start: int, minutes: list[int]) -> None:
    posts = posts_from(start, minutes)
    page = page_with(zone, span, posts)
    for one in posts:
        if (found := page.card_of(one)) is None:
            continue
        box, _ = found
        target = page.target(box.x, box.y, fine=True, keep_time=False)
        assert target is not None
        landing = page.moves(posts, one, target)[one.key]
        at_the_foot = isinstance(page, HoursPage) and page.days.place(one.at).minute > 24 * 60 - 70
        assert at_the_foot or abs(landing.at - one.at) <= MINUTE  # a minute is less than a pixel


@given(zones, instants, st.integers(0, 6), st.integers(0, 24 * HOUR_HEIGHT - 1), st.booleans())
def test_a_point_among_hours_and_the_line_of_its_time_agree(
    zone: str, start: int, column: int, height: int, fine: bool
) -> None:
    page = page_with(zone, Span.WEEK, posts_from(start, [0]))
    cell = page.geometry.cell(page.days.place(start).day + column)
    target = page.target(cell.x + 3, cell.y + height, fine=fine, keep_time=False)
    assert target is not None
    assert target.day == page.days.place(start).day + column
    line = page.line_height(target)
    assert line is not None
    step = 1 if fine else wall.SNAP_MINUTES
    assert abs(line - (cell.y + height)) <= step * HOUR_HEIGHT / 60 + 1
    assert page.target(cell.x + 3, line, fine=fine, keep_time=False) == target


@given(zones, instants, closely, st.integers(-40, 40))
def test_a_month_drag_keeps_every_time_of_day_or_says_what_becomes_of_it(
    zone: str, start: int, minutes: list[int], away: int
) -> None:
    posts = posts_from(start, minutes)
    page = page_with(zone, Span.MONTH, posts)
    days = page.days
    landings = page.moves(posts, posts[0], Target(days.place(posts[0].at).day + away, None))
    for one in posts:
        before, landing = days.place(one.at), landings[one.key]
        after = days.place(landing.at)
        if wall.remark(days, landing) is None:
            assert after == (before.day + away, before.minute)
        if away == 0:
            assert landing.at == one.at


def test_the_month_runs_from_left_to_right_whichever_way_words_run(
    take: MakeHands, qapp: QApplication
) -> None:
    left_to_right = take(post("a", "2031-06-11T09:00"), post("b", "2031-06-13T09:00"))
    expected = [left_to_right.card(key) for key in "ab"]
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        hands = take(post("a", "2031-06-11T09:00"), post("b", "2031-06-13T09:00"))
        assert [hands.card(key) for key in "ab"] == expected
        hands.drag("a", hands.cell("2031-06-13").center())
        assert hands.view.page.days.place(hands.post("a").at).day == date(2031, 6, 13).toordinal()
        QTest.keyClick(hands.view, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
        assert hands.view.page.days.place(hands.post("a").at).day == date(2031, 6, 14).toordinal()
    finally:
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
