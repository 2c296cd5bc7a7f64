"""The day that posts are being written for."""

from datetime import date

from PySide6.QtCore import Qt

from app.desktop.calendar.days import Span
from app.desktop.calendar.placement import Composing, DayLayout
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import CTRL, Hands
from tests.desktop.calendar.memory import instant, post

AT = instant("2031-06-12T08:30")


def layout(hands: Hands, day: str = "2031-06-12") -> DayLayout:
    return hands.view.page.cells.layout(date.fromisoformat(day).toordinal())


def test_new_posts_stand_at_their_time_and_nobody_can_choose_them(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-12T12:00"))
    hands.pane.mark_day(AT, 4)
    new = layout(hands).new
    assert new is not None
    assert new.post.headline == "4 new posts"
    assert hands.card("a").top() < hands.cell("2031-06-12").top() + new.box.y < hands.card("b").top()
    hands.press(Qt.Key.Key_A, CTRL)
    assert hands.view.selection.keys == {"a", "b"}


def test_a_finished_text_leaves_no_trace(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    before = hands.picture()
    hands.pane.mark_day(AT, 1)
    assert hands.picture() != before
    assert Composing(0, AT, 1)._stand_in().headline == "New post"  # whose beginning says something
    hands.pane.mark_day(None)
    assert hands.picture() == before


def test_the_mark_goes_along_to_the_week_and_to_another_day(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.pane.mark_day(AT, 2)
    hands.show(Span.WEEK, "2031-06-12")
    assert layout(hands).new is not None
    hands.pane.mark_day(instant("2031-06-13T08:30"), 2)
    assert layout(hands).new is None
    hands.show(Span.MONTH, "2031-06-12")
    assert layout(hands).new is None
    assert layout(hands, "2031-06-13").new is not None


def test_a_full_day_counts_only_posts(take: MakeHands) -> None:
    hands = take(*(post(f"{hour:02}", f"2031-06-12T{hour:02}:00") for hour in range(8, 18)))
    hands.pane.mark_day(instant("2031-06-12T20:00"), 3)
    found = layout(hands)
    assert len(found.cards) + found.hidden == 10
