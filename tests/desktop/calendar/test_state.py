"""What is found again after a restart, and the small things that float over the calendar."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop.calendar.days import Span
from app.desktop.calendar.filters import CalendarState, Filter
from app.desktop.calendar.popovers import ChooseSecondZone, GoToDate
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.memory import account, post
from tests.desktop.running import run

NEW_YORK = ZoneInfo("America/New_York")


def test_span_filter_and_second_zone_are_found_again(take: MakeHands) -> None:
    accounts = account("one"), account("two")
    posts = post("a", "2031-06-12T08:00", account_key="one"), post("b", "2031-06-12T09:00", account_key="two")
    before = take(*posts, accounts=accounts)
    before.pane.show_span(Span.WEEK)
    before.pane.filters.choose(Filter(frozenset({"two"}), statuses=frozenset({PostStatus.SCHEDULED})))
    before.pane.grid.set_second_zone(NEW_YORK)
    kept = before.pane.state().written()
    after = take(*posts, accounts=accounts)
    after.pane.restore(CalendarState.read(kept))
    assert after.pane.grid.span is Span.WEEK
    assert after.pane.toolbar.span.value() == "week"
    assert [after.pane.model.post_at(row).key for row in range(after.pane.model.rowCount())] == ["b"]
    assert after.pane.grid.second_zone == NEW_YORK


def test_an_account_that_is_gone_hides_nothing_after_a_restart(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00", account_key="one"), accounts=[account("one")])
    hands.pane.restore(CalendarState(filter=Filter(accounts=frozenset({"gone"}))))
    assert hands.pane.model.rowCount() == 1
    assert not hands.pane.filters.filter.is_on


@pytest.mark.parametrize(
    "kept", [None, "", "{", '{"span": "century"}', 17, '{"second_zone": "Nowhere/Town"}']
)
def test_what_cannot_be_read_is_the_usual(kept: object) -> None:
    state = CalendarState.read(kept)
    assert state.span is Span.MONTH
    assert state.zone is None


def test_g_leads_to_a_date(take: MakeHands) -> None:
    hands = take()
    hands.press(Qt.Key.Key_G)
    asking = hands.pane.findChild(GoToDate)
    assert isinstance(asking, GoToDate)
    assert asking.month.selectedDate() == QDate(2031, 6, 1)
    asking.month.activated.emit(QDate(2033, 2, 11))
    assert hands.pane.grid.title() == ("February", "2033")
    assert not asking.isVisible()


def test_the_second_zone_tells_its_hours_beside_ours(take: MakeHands, qapp: QApplication) -> None:
    hands = take(span=Span.WEEK)
    ruler, corner, width = hands.pane.grid.ruler, hands.pane.grid.zone_corner, hands.view.width()

    async def work() -> None:
        corner.click()
        asking = hands.pane.findChild(ChooseSecondZone)
        assert isinstance(asking, ChooseSecondZone)
        asking.picker.set_zone(NEW_YORK)
        assert ruler.second_time(9 * 60) == "04:00"
        assert hands.view.width() < width
        assert "New York" in corner.accessibleName()
        corner.click()
        hands.pane.findChildren(ChooseSecondZone)[-1].chosen.emit(None)
        assert ruler.second_time(9 * 60) == ""
        assert hands.view.width() == width

    run(qapp, work)


def test_the_second_zone_follows_the_week_where_the_clocks_change_apart(take: MakeHands) -> None:
    """In 2031 New York changes on 9 March, Lisbon on 30 March."""
    hands = take(span=Span.WEEK, day="2031-03-12")
    hands.pane.grid.set_second_zone(NEW_YORK)
    assert date.fromordinal(hands.pane.grid.shown_day).isoformat() == "2031-03-10"
    assert hands.pane.grid.ruler.second_time(9 * 60) == "05:00"


def test_every_part_of_a_filter_is_found_again(take: MakeHands) -> None:
    chosen = Filter(
        accounts=frozenset({"one"}),
        platforms=frozenset({PostingPlatform.LINKEDIN}),
        statuses=frozenset({PostStatus.SCHEDULED, PostStatus.FAILED}),
        kinds=frozenset({PostType.TEXT}),
        batches=frozenset({"b"}),
    )
    before = take(accounts=[account("one")])
    before.pane.filters.choose(chosen)
    kept = before.pane.state().written()
    after = take(accounts=[account("one")])
    after.pane.restore(CalendarState.read(kept))
    assert after.pane.filters.filter == chosen
