"""Days with their hours: a week or one, scrolled to the side without end."""

from datetime import UTC, date, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.calendar import CalendarPane
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.geometry import HoursGeometry
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import CTRL, SHIFT, Hands
from tests.desktop.calendar.memory import MemoryWorkspace, post
from tests.desktop.calendar.test_drag import times


def first_day(hands: Hands) -> str:
    return date.fromordinal(hands.pane.grid.shown_day).isoformat()


def at_rest(hands: Hands) -> bool:
    cell = hands.cell(first_day(hands))
    return cell.left() == 0


def test_shift_and_the_wheel_go_on_through_the_weeks_and_come_to_rest_on_a_day(
    take: MakeHands, qtbot: QtBot
) -> None:
    hands = take(post("a", "2031-06-18T09:00"), span=Span.WEEK)
    assert first_day(hands) == "2031-06-09"
    hands.turn_wheel(8, SHIFT)
    assert hands.pane.grid.title()[0] != "9 – 15 June"  # noqa: RUF001  a range
    qtbot.waitUntil(lambda: at_rest(hands), timeout=30_000)
    assert first_day(hands) > "2031-06-11"


def test_the_title_names_the_days_that_show_after_scrolling(take: MakeHands) -> None:
    hands = take(span=Span.WEEK)
    cell = hands.cell("2031-06-12")
    hands.view.horizontalScrollBar().setValue(hands.view.horizontalOffset() + cell.left())
    assert hands.pane.grid.title() == ("12 – 18 June", "2031")  # noqa: RUF001  a range


def test_the_wheel_alone_scrolls_the_hours(take: MakeHands) -> None:
    hands = take(span=Span.WEEK)
    before = hands.view.offset
    hands.turn_wheel(2)
    assert hands.view.offset.x() == before.x()
    assert hands.view.offset.y() > before.y()


def test_a_day_by_itself(take: MakeHands) -> None:
    hands = take(
        post("a", "2031-06-12T09:00"), post("b", "2031-06-13T09:00"), span=Span.DAY, day="2031-06-12"
    )
    assert hands.pane.grid.title() == ("Thursday 12 June", "2031")
    viewport = hands.view.viewport().rect()
    assert viewport.contains(hands.card("a"))
    assert not viewport.intersects(hands.card("b"))
    hands.pane.toolbar.forward.click()
    assert hands.pane.grid.title() == ("Friday 13 June", "2031")
    assert viewport.contains(hands.card("b"))


def test_many_posts_at_one_time_of_a_day_stand_side_by_side(take: MakeHands) -> None:
    keys = "abcde"
    hands = take(*(post(key, "2031-06-12T09:00") for key in keys), span=Span.DAY, day="2031-06-12")
    cards = [hands.card(key) for key in keys]
    assert all(not card.isEmpty() for card in cards)
    assert all(left.right() < right.left() for left, right in pairwise(cards))


@pytest.mark.parametrize("span", [Span.WEEK, Span.MONTH])
def test_hidden_posts_are_counted_in_a_pill_that_answers_the_pointer(take: MakeHands, span: Span) -> None:
    hands = take(*(post(str(n), f"2031-06-12T10:{n:02}") for n in range(20)), span=span)
    view, day = hands.view, date(2031, 6, 12).toordinal()
    place = view.more_place(day)
    assert place is not None
    if span is Span.WEEK:
        assert place.height() == 18
        assert not any(
            place.intersects(hands.card(card.post.key)) for _, card in view.page.cards_in(view.visible)
        )
    corner = hands.cell("2031-06-12").topLeft()
    usual = hands.picture()
    hands.move(place.center())
    hovered = hands.picture()
    assert hovered.copy(place) != usual.copy(place)
    hands.move(corner + QPoint(3, 3))
    assert hands.picture() == usual
    hands.move(place.center())
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert hands.picture() == usual


def test_the_letters_lead_to_every_span(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T09:00"))
    for key, span in (
        (Qt.Key.Key_W, Span.WEEK),
        (Qt.Key.Key_D, Span.DAY),
        (Qt.Key.Key_A, Span.AGENDA),
        (Qt.Key.Key_M, Span.MONTH),
    ):
        hands.press(key)
        assert hands.pane.grid.span is span
        assert hands.pane.toolbar.span.value() == span.value


def test_walking_to_a_post_of_another_day_turns_to_it(take: MakeHands) -> None:
    hands = take(
        post("a", "2031-06-12T09:00"), post("b", "2031-06-20T09:00"), span=Span.DAY, day="2031-06-12"
    )
    hands.choose("a")
    hands.press(Qt.Key.Key_Down, CTRL)
    assert hands.view.selection.current == "b"
    assert first_day(hands) == "2031-06-20"
    assert hands.view.viewport().rect().contains(hands.card("b"))


def test_a_drag_at_the_right_edge_goes_on_to_the_days_behind_it(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(post("a", "2031-06-12T09:00"), span=Span.WEEK)
    edge = QPoint(hands.view.viewport().width() - 6, hands.card("a").center().y())
    with hands.dragging("a", edge) as held:
        before = hands.view.horizontalOffset()
        qtbot.waitUntil(lambda: hands.view.horizontalOffset() > before + 400, timeout=30_000)
        assert hands.view.drag is not None
        assert hands.view.drag.target is not None
        assert hands.view.drag.target.day == hands.view.page.geometry.day_at(
            hands.view.canvas(held).x(), hands.view.canvas(held).y()
        )
    QApplication.processEvents()
    assert times(hands)["a"][:10] > "2031-06-15"


def zone_at(hour: int) -> ZoneInfo:
    """A zone in which it is this hour of the day now."""
    ahead = (hour - datetime.now(UTC).hour + 11) % 24 - 11
    return ZoneInfo(f"Etc/GMT{-ahead:+}")


def shown_minutes(hands: Hands) -> tuple[int, int]:
    """The first and the last minute of the day in sight."""
    shown, geometry = hands.view.visible, hands.view.page.geometry
    assert isinstance(geometry, HoursGeometry)
    return geometry.minute_at(shown.y, 1), geometry.minute_at(shown.y + shown.height, 1)


@pytest.mark.parametrize("span", [Span.WEEK, Span.DAY])
@pytest.mark.parametrize("hour", [0, 3, 9, 15, 20, 23])
def test_now_is_in_sight_and_what_follows_it(qtbot: QtBot, span: Span, hour: int) -> None:
    zone = zone_at(hour)
    workspace = MemoryWorkspace([], ())
    pane = CalendarPane(workspace, zone)
    qtbot.addWidget(pane)
    pane.resize(1232, 700)
    pane.show()
    pane.show_span(span)
    hands = Hands(pane, workspace)
    days = LocalDays(zone)
    before, (first, last), after = days.minute_now(), shown_minutes(hands), days.minute_now()
    assert first <= before
    assert after <= last
    assert last >= min(1_439, after + 120)
    hands.turn_wheel(40 if hour < 12 else -40)
    assert shown_minutes(hands) != (first, last)
    hands.press(Qt.Key.Key_T)
    assert shown_minutes(hands)[0] <= days.minute_now() <= shown_minutes(hands)[1]


@pytest.mark.parametrize("span", [Span.WEEK, Span.DAY])
@pytest.mark.parametrize("time", ["00:00", "02:30", "08:00", "21:15", "22:59"])
def test_another_day_opens_at_its_first_post(take: MakeHands, span: Span, time: str) -> None:
    posts = post("a", f"2031-06-12T{time}"), post("b", "2031-06-12T22:59")
    hands = take(*posts, span=span, day="2031-06-12", size=(1232, 700))
    assert hands.view.viewport().rect().contains(hands.card("a"))
    hands.turn_wheel(40 if time < "12" else -40)
    own = hands.view.verticalOffset()
    hands.pane.toolbar.forward.click()
    assert hands.view.verticalOffset() == own
    hands.pane.toolbar.back.click()
    hands.press(Qt.Key.Key_M)
    hands.show(span, "2031-06-12")
    assert hands.view.viewport().rect().contains(hands.card("a"))


def test_a_day_without_posts_opens_with_the_morning(take: MakeHands) -> None:
    hands = take(span=Span.DAY, day="2031-06-12", size=(1232, 700))
    first, _ = shown_minutes(hands)
    assert 6 * 60 <= first <= 7 * 60
