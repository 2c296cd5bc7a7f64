"""The sheet of all posts of a day."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.contract.enums import PostStatus
from app.desktop.calendar.day_sheet import DaySheet
from app.workspace.slots.slots import Slot
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ALT, LEFT, NONE, SHIFT, Hands
from tests.desktop.calendar.memory import instant, post

Key = Qt.Key


@pytest.fixture
def hands(take: MakeHands) -> Hands:
    return take(*(post(f"{hour:02}", f"2031-06-12T{hour:02}:00", f"Post {hour}") for hour in range(20)))


def sheet_of(hands: Hands) -> DaySheet:
    more = hands.view.more_rect("19")
    assert more is not None
    QTest.mouseClick(hands.view.viewport(), LEFT, NONE, more.center())
    found = hands.pane.findChild(DaySheet)
    assert isinstance(found, DaySheet)
    assert found.isVisible()
    return found


def test_it_scrolls_and_says_each_post_in_words(hands: Hands) -> None:
    sheet = sheet_of(hands)
    assert len(sheet.listed()) == 20
    assert sheet.list.verticalScrollBar().maximum() > 0
    spoken = str(sheet.list.item(3).data(Qt.ItemDataRole.AccessibleTextRole))
    assert spoken == hands.pane.model.described(hands.post("03"))
    QTest.keyClick(sheet.list, Key.Key_End)
    assert hands.view.selection.current == "19"


def test_posts_are_cancelled_and_moved_from_it(hands: Hands) -> None:
    sheet = sheet_of(hands)
    QTest.keyClick(sheet.list, Key.Key_Down, SHIFT)
    assert hands.view.selection.keys == {"00", "01"}
    QTest.keyClick(sheet.list, Key.Key_Delete)
    assert [hands.post(key).status for key in ("00", "01")] == [PostStatus.CANCELLED] * 2
    QTest.keyClick(sheet.list, Key.Key_End)
    QTest.keyClick(sheet.list, Key.Key_Right, ALT)
    assert hands.post("19").at == instant("2031-06-13T19:00")
    assert "19" not in sheet.listed()
    assert sheet.title.text() == "Thursday 12 June · 19 posts"


def test_a_post_goes_from_it_to_the_next_free_slot(hands: Hands) -> None:
    hands.workspace.slots.put("studio", [Slot("studio", 4, 9 * 60)])
    sheet = sheet_of(hands)
    QTest.keyClick(sheet.list, Key.Key_S)
    assert hands.post("00").at == instant("2031-06-13T08:00")


def test_the_menu_offers_what_can_be_done_with_posts(hands: Hands) -> None:
    sheet = sheet_of(hands)
    offered = {command.name: command for command in sheet.list.offer()}
    assert {"Move to the next free slot", "Move a day later", "Cancel posts"} <= offered.keys()
    offered["Cancel posts"].run()
    assert hands.post("00").status is PostStatus.CANCELLED


def test_it_goes_when_the_day_has_no_post_left(hands: Hands) -> None:
    sheet = sheet_of(hands)
    hands.workspace.arrive(removed=[f"{hour:02}" for hour in range(20)])
    assert not sheet.isVisible()
