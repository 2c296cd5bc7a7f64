"""News from the service while the calendar shows."""

from datetime import date

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.contract.enums import PostStatus
from app.desktop.calendar.days import Span
from app.desktop.calendar.tiles import Budget
from app.workspace.posts.planned import SyncState
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import post


def pictures(hands: Hands) -> dict[int, list[int]]:
    """Which days are painted, and the identity of their pictures."""
    page, shown = hands.view.page, hands.view.visible
    days = [day for day in page.geometry.days_in(shown) if page.is_painted(day, shown)]
    cells = {day: page.geometry.cell(day) for day in days}
    return {
        day: [
            picture.cacheKey() if picture else 0
            for _, picture in page.cells.pictures(day, cell._replace(x=0, y=0), page.ratio, Budget())
        ]
        for day, cell in cells.items()
    }


def test_a_changed_post_repaints_its_day_and_no_other(take: MakeHands) -> None:
    one = post("a", "2031-06-12T08:00")
    hands = take(one, post("b", "2031-06-13T08:00"))
    hands.picture()
    before = pictures(hands)
    hands.workspace.arrive(one._replace(headline="Other words"))
    hands.picture()
    after = pictures(hands)
    assert {day for day in before if before[day] != after[day]} == {date(2031, 6, 12).toordinal()}


def test_a_post_that_moves_elsewhere_appears_in_its_new_day(take: MakeHands) -> None:
    one = post("a", "2031-06-12T08:00")
    hands = take(one)
    before = hands.picture()
    hands.workspace.arrive(one._replace(at=post("", "2031-06-18T08:00").at))
    assert hands.cell("2031-06-18").contains(hands.card("a"))
    assert hands.picture() != before
    hands.workspace.arrive(one)
    assert hands.picture() == before


def test_posts_come_and_go(take: MakeHands) -> None:
    hands = take()
    empty = hands.picture()
    hands.workspace.arrive(post("a", "2031-06-12T08:00"))
    assert hands.picture() != empty
    hands.workspace.arrive(removed=["a"])
    assert hands.picture() == empty
    assert hands.pane.model.rowCount() == 0


def test_a_refused_move_brings_the_card_back(take: MakeHands) -> None:
    one = post("a", "2031-06-12T08:00")
    hands = take(one)
    hands.drag("a", hands.cell("2031-06-19").center())
    assert hands.post("a").sync is SyncState.WAITING
    hands.workspace.arrive(one)
    assert hands.cell("2031-06-12").contains(hands.card("a"))
    assert hands.view.selection.keys == {"a"}


def test_a_chosen_post_that_goes_is_no_longer_chosen(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-13T08:00"))
    hands.choose("a", "b")
    hands.workspace.arrive(removed=["a"])
    assert hands.view.selection.keys == {"b"}
    hands.press(Qt.Key.Key_Delete)
    assert hands.post("b").status is PostStatus.CANCELLED


def test_the_week_counts_what_lies_beyond_its_hours(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T21:30"), span=Span.WEEK)
    hands.show_morning()
    assert [pill.text for pill in hands.view.pills.shown] == ["1 later, 22:30"]
    hands.workspace.arrive(post("b", "2031-06-12T01:00"))
    assert [pill.text for pill in hands.view.pills.shown] == ["1 earlier, 02:00", "1 later, 22:30"]
    QTest.mouseClick(
        hands.view.viewport(), Qt.MouseButton.LeftButton, pos=hands.view.pills.shown[1].place.center()
    )
    assert hands.view.viewport().rect().contains(hands.card("a"))
    assert hands.view.selection.keys == frozenset()


def test_a_double_click_on_a_pill_begins_no_post(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T21:30"), span=Span.WEEK)
    hands.show_morning()
    begun: list[object] = []
    hands.pane.mouse.emptied.connect(begun.append)
    [pill] = hands.view.pills.shown
    QTest.mouseDClick(hands.view.viewport(), Qt.MouseButton.LeftButton, pos=pill.place.center())
    assert begun == []
