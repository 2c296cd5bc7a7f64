"""Days of 23 and 25 hours: on 26 October 2031 01:00 comes twice in Lisbon, on 28 March 2032 it is skipped."""

from PySide6.QtCore import QPoint, Qt

from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.geometry import HOUR_HEIGHT
from app.desktop.calendar.moves import Target, wished_time
from app.desktop.calendar.placement import INSET
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ALT, ZONE, Hands
from tests.desktop.calendar.memory import instant, post

FIRST = "2031-10-26T00:30"  # 01:30 in summer time
SECOND = "2031-10-26T01:30"  # 01:30 an hour later
HALF_AN_HOUR = HOUR_HEIGHT // 2


def midnight(hands: Hands, day: str) -> QPoint:
    """A point at the upper left of a day's hours, scrolled so that it shows."""
    hands.view.verticalScrollBar().setValue(0)
    return hands.cell(day).topLeft()


def at(hands: Hands, key: str) -> int:
    return hands.post(key).at


def test_both_passes_of_an_hour_stand_beside_each_other_and_are_named(take: MakeHands) -> None:
    posts = post("first", FIRST), post("second", SECOND), post("noon", "2031-10-26T12:00")
    hands = take(*posts, span=Span.WEEK, day="2031-10-26")
    midnight(hands, "2031-10-26")
    middle = hands.cell("2031-10-26").center().x()
    assert hands.card("first").right() <= middle <= hands.card("second").left()
    assert hands.card("first").top() == hands.card("second").top()
    time = hands.view.page.cards.time
    assert [time(hands.post(key)) for key in ("first", "second", "noon")] == ["01:30A", "01:30B", "12:00"]


def test_only_what_stands_beside_the_second_pass_is_half_as_wide(take: MakeHands) -> None:
    """Also before and after that hour; the card of a quarter to one reaches into it."""
    times = {"before": "2031-10-25T23:45", "second": SECOND, "after": "2031-10-26T05:00"}
    posts = [post(key, at) for key, at in times.items()]
    hands = take(*posts, span=Span.WEEK, day="2031-10-26")
    width = hands.cell("2031-10-26").width()
    assert hands.card("after").width() == width - 2 * INSET
    assert hands.card("before").width() < width / 2
    assert hands.card("second").width() < width / 2


def test_a_drop_on_either_half_takes_that_pass(take: MakeHands) -> None:
    hands = take(post("a", "2031-10-25T03:00"), span=Span.WEEK, day="2031-10-25")
    corner = midnight(hands, "2031-10-26")
    grip = hands.card("a").center() - hands.card("a").topLeft()
    width = hands.cell("2031-10-26").width()
    for share, expected, name in ((0.25, FIRST, "01:30A"), (0.75, SECOND, "01:30B")):
        height = HOUR_HEIGHT + HALF_AN_HOUR + grip.y()
        with hands.dragging("a", corner + QPoint(round(width * share), height)):
            assert hands.view.drag is not None
            assert name in hands.view.drag.tip
            assert "\n" not in hands.view.drag.tip
        assert at(hands, "a") == instant(expected)


def test_a_drag_in_the_month_into_the_hour_that_comes_twice_says_so(take: MakeHands) -> None:
    hands = take(post("a", "2031-10-20T00:30"), day="2031-10-20")
    with hands.dragging("a", hands.cell("2031-10-26").center()):
        assert hands.view.drag is not None
        assert "happens twice" in hands.view.drag.tip
    assert at(hands, "a") == instant(FIRST)


def test_a_drag_into_the_skipped_hour_says_what_becomes_of_it(take: MakeHands) -> None:
    hands = take(post("a", "2032-03-24T01:20"), day="2032-03-24")
    with hands.dragging("a", hands.cell("2032-03-28").center()):
        assert hands.view.drag is not None
        assert "01:20 doesn't exist. It becomes 02:20." in hands.view.drag.tip


def test_the_keyboard_reaches_the_second_pass(take: MakeHands) -> None:
    hands = take(post("a", "2031-10-26T00:45"), span=Span.WEEK, day="2031-10-26")
    midnight(hands, "2031-10-26")
    hands.choose("a")
    hands.press(Qt.Key.Key_Down, ALT)
    assert at(hands, "a") == instant("2031-10-26T01:00")
    assert hands.view.page.cards.time(hands.post("a")) == "01:00B"


def test_the_days_look_different(take: MakeHands) -> None:
    hands = take(span=Span.WEEK, day="2031-10-26")
    midnight(hands, "2031-10-26")
    changed = hands.cell("2031-10-26").adjusted(1, 1, -1, 3 * HOUR_HEIGHT - 24 * HOUR_HEIGHT)
    plain = hands.cell("2031-10-25").adjusted(1, 1, -1, 3 * HOUR_HEIGHT - 24 * HOUR_HEIGHT)
    picture = hands.picture()
    assert picture.copy(changed) != picture.copy(plain)


def test_a_post_wished_for_in_the_second_pass_is_not_put_into_the_first() -> None:
    days = LocalDays(ZONE)
    day, minute = days.place(instant("2031-10-26T01:05"))  # 01:05 for the second time
    target = Target(day, minute)
    assert wished_time(days, instant("2031-10-26T01:05"), target) == instant("2031-10-26T01:15")
    assert wished_time(days, instant("2031-10-26T00:05"), target) == instant("2031-10-26T00:15")
