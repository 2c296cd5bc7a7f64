"""The agenda: which days it shows, where, and that a drop on one keeps the time."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.agenda import AgendaGeometry, agenda_geometry, day_column, days_to_show
from app.desktop.calendar.days import Span
from app.desktop.calendar.placement import Box
from app.desktop.theme import theme
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.memory import post
from tests.desktop.calendar.test_drag import times

TODAY = date(2031, 6, 10).toordinal()
planned = st.dictionaries(st.integers(TODAY - 400, TODAY + 400), st.integers(1, 30), max_size=30)


def geometry(counts: dict[int, int]) -> AgendaGeometry:
    return agenda_geometry(900, sorted(counts), lambda day: counts.get(day, 0), TODAY)


@given(planned)
def test_every_day_with_posts_shows_once_and_today_does(counts: dict[int, int]) -> None:
    days = days_to_show(sorted(counts), TODAY)
    assert days == sorted(set(days))
    assert {*counts, TODAY} <= set(days)


@given(planned)
def test_after_every_day_with_posts_a_week_of_free_days_takes_drops(counts: dict[int, int]) -> None:
    days = set(days_to_show(sorted(counts), TODAY))
    for day in counts:
        assert set(range(day, day + 8)) <= days


@given(planned, st.floats(0, 0.999))
def test_days_lie_below_each_other_without_gap_and_a_point_tells_its_day(
    counts: dict[int, int], down: float
) -> None:
    agenda = geometry(counts)
    cells = [agenda.cell(day) for day in agenda.days]
    assert cells[0].y == 0
    assert cells[-1].y + cells[-1].height == agenda.content_height
    assert all(above.y + above.height == below.y for above, below in pairwise(cells))
    for day, cell in zip(agenda.days, cells, strict=True):
        assert agenda.day_at(5, cell.y + int(cell.height * down)) == day


@given(planned, st.integers(-100, 4_000), st.integers(1, 1_500))
def test_the_days_of_a_part_are_those_whose_cells_show_there(
    counts: dict[int, int], top: int, height: int
) -> None:
    agenda = geometry(counts)
    area = Box(0, top, agenda.width, height)
    seen = [day for day in agenda.days if agenda.cell(day).intersects(area)]
    assert list(agenda.days_in(area)) == seen


@given(planned, st.integers(TODAY - 500, TODAY + 500))
def test_a_day_that_does_not_show_has_no_height(counts: dict[int, int], day: int) -> None:
    agenda = geometry(counts)
    assert (agenda.cell(day).height > 0) == (day in agenda.days)


def test_posts_stand_below_each_other_in_the_order_of_time(take: MakeHands) -> None:
    hands = take(
        post("b", "2031-06-12T18:00"),
        post("a", "2031-06-12T08:00"),
        post("c", "2031-06-14T08:00"),
        span=Span.AGENDA,
        day="2031-06-11",
    )
    tops = [hands.card(key).top() for key in "abc"]
    assert tops == sorted(tops)
    assert hands.cell("2031-06-12").contains(hands.card("b"))
    assert hands.cell("2031-06-13").height() > 0


@pytest.mark.parametrize("target", ["2031-06-13", "2031-06-15"])
def test_a_drop_on_a_day_with_or_without_posts_keeps_the_time(take: MakeHands, target: str) -> None:
    hands = take(
        post("a", "2031-06-12T08:20"), post("b", "2031-06-15T09:00"), span=Span.AGENDA, day="2031-06-11"
    )
    hands.drag("a", hands.cell(target).center())
    assert times(hands) == {"a": f"{target} 09:20"}


def test_what_shows_stays_where_it_is_when_earlier_days_grow(take: MakeHands) -> None:
    shown = [post(f"{day:02}", f"2031-06-{day:02}T09:00") for day in range(1, 29)]
    hands = take(*shown, span=Span.AGENDA, day="2031-06-15")
    before = hands.card("15").top()
    for number in range(5):
        hands.workspace.arrive(post(f"new {number}", f"2031-06-03T1{number}:00"))
    QApplication.processEvents()
    assert hands.card("15").top() == before
    assert hands.cell("2031-06-03").contains(hands.card("new 4"))


def test_a_long_day_is_painted_row_by_row(take: MakeHands) -> None:
    many = [post(f"{number:03}", f"2031-06-12T{number // 60:02}:{number % 60:02}") for number in range(300)]
    hands = take(*many, span=Span.AGENDA, day="2031-06-12")
    before = hands.picture()
    hands.view.verticalScrollBar().setValue(hands.view.verticalOffset() + 4_400)
    after = hands.picture()
    assert hands.view.viewport().rect().contains(hands.card("105"))
    assert before != after
    assert not hands.view.page.is_painted(date(2031, 6, 12).toordinal(), hands.view.visible)


def test_the_title_follows_the_first_day_that_shows(take: MakeHands) -> None:
    june = [post(f"{day:02}", f"2031-06-{day:02}T09:00") for day in range(1, 29)]
    august = [post(f"8-{day:02}", f"2031-08-{day:02}T09:00") for day in range(1, 29)]
    hands = take(*june, *august, span=Span.AGENDA)
    assert hands.pane.grid.title() == ("June", "2031")
    hands.view.verticalScrollBar().setValue(hands.view.verticalScrollBar().maximum())
    assert hands.pane.grid.title() == ("August", "2031")


def test_over_a_long_gap_a_page_turns_in_one_go_and_back(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-12-01T08:00"), span=Span.AGENDA)
    grid = hands.pane.grid
    hands.show(Span.AGENDA, "2031-06-12")
    grid.turn(1)
    grid.turn(1)
    assert (grid.shown_day, grid.title()) == (date(2031, 12, 1).toordinal(), ("December", "2031"))
    grid.turn(-1)
    assert grid.title() == ("June", "2031")


def test_a_day_in_a_long_gap_shows_and_names_the_next_one_with_posts(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-12-01T08:00"), span=Span.AGENDA)
    hands.show(Span.AGENDA, "2031-09-01")
    assert hands.pane.grid.title() == ("December", "2031")
    assert not hands.card("b").isEmpty()


def test_in_a_narrow_agenda_of_large_text_most_of_the_width_is_for_posts(
    qapp: QApplication, take: MakeHands
) -> None:
    theme.apply(qapp, "light", 2.0)
    hands = take(post("a", "2031-06-12T09:00"), span=Span.AGENDA, day="2031-06-12", size=(660, 600))
    cell, card = hands.cell("2031-06-12"), hands.card("a")
    assert card.width() > cell.width() / 2
    assert day_column(1_000) > day_column(300)
