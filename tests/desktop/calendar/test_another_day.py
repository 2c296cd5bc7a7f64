"""Days that pass while the calendar is open, and days that are far away."""

from datetime import date
from functools import partial
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.contract.enums import PostStatus
from app.desktop import week
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.grid import CalendarGrid
from app.desktop.calendar.placement import CardStyle
from app.workspace import clock
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ZONE
from tests.desktop.calendar.memory import ListedPosts, instant, post


class HandDays(LocalDays):
    """A wall clock whose present day is set by hand."""

    present = date(2031, 6, 8).toordinal()  # a Sunday

    def today(self, now: int | None = None) -> int:
        return self.present if now is None else super().today(now)


@pytest.fixture
def days() -> HandDays:
    return HandDays(ZONE)


@pytest.fixture
def grid(qtbot: QtBot, days: HandDays) -> CalendarGrid:
    model = ListedPosts(days, lambda posts: posts[0].headline)
    model.fill([post("a", "2031-06-05T08:00"), post("b", "2031-06-12T08:00")])
    grid = CalendarGrid(model, days, lambda _key: None)
    qtbot.addWidget(grid)
    grid.resize(1_000, 700)
    grid.show()
    return grid


def shown(grid: CalendarGrid) -> list[int]:
    return list(grid.view.page.geometry.days_in(grid.view.visible))


@pytest.mark.parametrize("span", list(Span))
def test_a_new_week_that_begins_leaves_what_shows_where_it_is(
    grid: CalendarGrid, days: HandDays, span: Span
) -> None:
    grid.show_span(span, days.present)
    before, title = shown(grid), grid.title()
    days.present += 1
    grid._time_passed()
    assert (shown(grid)[0], grid.title()) == (before[0], title)
    # In the month, a week that is over needs less room.
    assert shown(grid) == before or span is Span.MONTH
    assert grid.view.page.today == days.present


@pytest.mark.parametrize("span", [Span.MONTH, Span.WEEK, Span.DAY])
@pytest.mark.parametrize("day", [date(2061, 3, 1), date(1990, 5, 17), date(9999, 12, 26), date(1, 1, 1)])
def test_far_days_show_as_near_ones_do(grid: CalendarGrid, span: Span, day: date) -> None:
    grid.show_span(span, day.toordinal())
    assert grid.shows(day.toordinal())
    assert grid.title()[1] == str(day.year)


@pytest.mark.parametrize("height", [200, 300, 700])
@pytest.mark.parametrize("day", [1, 9, 29, 30])
def test_the_month_shows_the_week_of_today_however_small_it_is(
    grid: CalendarGrid, days: HandDays, height: int, day: int
) -> None:
    grid.resize(1_000, height)
    days.present = date(2031, 6, day).toordinal()
    grid.show_span(Span.MONTH, date(2031, 1, 1).toordinal())
    grid.show_now()
    cell, view = grid.view.page.geometry.cell(days.present), grid.view.visible
    assert view.y <= cell.y
    assert cell.y + cell.height <= view.y + view.height
    assert grid.title() == ("June", "2031")


@pytest.mark.parametrize("begin", week.CHOICES)
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("span", list(Span))
def test_where_the_calendar_ends_it_stays(
    grid: CalendarGrid, span: Span, direction: int, begin: int, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(partial(week.begin_on, week.MONDAY))
    week.begin_on(begin)
    end = date.max if direction > 0 else date.min
    grid.show_span(span, end.toordinal())
    for _ in range(3):
        grid.grab()
        grid.turn(direction)
    assert span is Span.AGENDA or grid.title()[1] == str(end.year)  # an agenda ends with its posts


def test_the_agenda_ends_with_the_last_day_there_is(grid: CalendarGrid) -> None:
    model = grid.view.model()
    assert isinstance(model, ListedPosts)
    model.fill([post("a", "2031-06-05T08:00"), post("z", "9999-12-30T23:59")])
    grid.show_span(Span.AGENDA, date.max.toordinal())
    bar = grid.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    grid.grab()
    assert shown(grid)[-1] == date.max.toordinal()


def test_only_posts_of_past_weeks_change_the_height_of_weeks(take: MakeHands) -> None:
    noon = instant("2031-06-25T12:00") * 1_000_000
    with patch.object(clock, "time", SimpleNamespace(time_ns=lambda: noon)):
        hands = take(day="2031-06-25")
        assert hands.cell("2031-06-09").height() == 52
        page = hands.view.page
        hands.workspace.arrive(*(post(f"ahead {n}", f"2031-06-26T{n:02}:00") for n in range(10, 20)))
        QApplication.processEvents()
        assert hands.view.page is page
        past = [post(f"{n}", f"2031-06-10T{n:02}:00", status=PostStatus.POSTED) for n in (8, 9, 10)]
        hands.workspace.arrive(*past)
        QApplication.processEvents()
        assert hands.cell("2031-06-09").height() == 97
        assert {card.style for card in hands.view.page.cells.layout(june(10)).cards} == {CardStyle.QUIET}


@pytest.mark.parametrize(
    ("shown", "white", "shaded"),
    [
        (
            "2031-06-25",
            ("2031-06-25", "2031-06-30", "2031-07-02"),
            ("2031-05-31", "2031-06-24"),
        ),
        ("2031-05-14", ("2031-05-01", "2031-05-31"), ("2031-04-30", "2031-06-01")),
        ("2031-07-16", ("2031-07-01", "2031-07-31"), ("2031-06-30", "2031-08-01")),
    ],
    ids=["current", "earlier", "later"],
)
def test_of_the_current_month_only_the_past_is_shaded_of_others_their_neighbours(
    take: MakeHands, shown: str, white: tuple[str, ...], shaded: tuple[str, ...]
) -> None:
    noon = instant("2031-06-25T12:00") * 1_000_000
    with patch.object(clock, "time", SimpleNamespace(time_ns=lambda: noon)):
        hands = take(day=shown)
        hands.pane.grid.grab()
        page = hands.view.page
        assert {page.ground(date.fromisoformat(day).toordinal()) for day in white} == {"surface"}
        assert {page.ground(date.fromisoformat(day).toordinal()) for day in shaded} == {"bg"}


def june(day: int) -> int:
    return date(2031, 6, day).toordinal()
