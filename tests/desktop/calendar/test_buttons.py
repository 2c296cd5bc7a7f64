"""Free posting times by keyboard and for screen readers."""

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.calendar.buttons import PaintedButton
from app.desktop.calendar.days import Span
from app.workspace.slots.slots import Slot
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import NONE, SHIFT, Hands
from tests.desktop.calendar.memory import account, instant, post

NINE, FIVE, LATE = 9 * 60, 17 * 60, 22 * 60
FRIDAY = 4


def free(day: str, time: str, whose: str = "Name of studio on LinkedIn") -> str:
    return f"Free posting time, {day} June {time}, {whose}"


THURSDAY_NINE, THURSDAY_FIVE = free("Thursday 12", "09:00"), free("Thursday 12", "17:00")
FRIDAY_NINE, FRIDAY_LATE = free("Friday 13", "09:00"), free("Friday 13", "22:00")


@pytest.fixture
def hands(take: MakeHands, qtbot: QtBot) -> Hands:
    """A week with four slots ahead, the last of them below what shows, and the focus on its days."""
    made = take(post("a", "2031-06-12T12:00"), span=Span.WEEK, size=(1232, 700))
    times = ((3, NINE), (3, FIVE), (FRIDAY, NINE), (FRIDAY, LATE))
    made.workspace.slots.put("studio", [Slot("studio", day, minute) for day, minute in times])
    made.view.setFocus()
    made.pane.activateWindow()
    qtbot.waitUntil(lambda: bool(names(made)))
    return made


def names(hands: Hands) -> list[str]:
    """What the buttons that show are called, in the order of time."""
    shown = hands.pane.grid.slot_buttons.shown
    return [shown[slot].accessibleName() for slot in sorted(shown)]


def focused() -> str:
    widget = QApplication.focusWidget()
    return widget.accessibleName() if widget is not None else ""


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> str:
    """Presses a key; what has the focus then."""
    widget = QApplication.focusWidget()
    assert widget is not None
    QTest.keyClick(widget, key, modifiers)
    return focused()


@pytest.mark.usefixtures("hands")
def test_tab_reaches_the_first_and_arrows_walk_in_time_and_by_days() -> None:
    assert press(Qt.Key.Key_Tab) == THURSDAY_NINE
    assert press(Qt.Key.Key_Down) == THURSDAY_FIVE
    assert press(Qt.Key.Key_Down) == FRIDAY_NINE
    assert press(Qt.Key.Key_Down) == FRIDAY_LATE
    assert press(Qt.Key.Key_Left) == THURSDAY_FIVE
    assert press(Qt.Key.Key_Right) == FRIDAY_LATE
    assert press(Qt.Key.Key_Up) == FRIDAY_NINE
    assert press(Qt.Key.Key_Left) == THURSDAY_NINE
    assert press(Qt.Key.Key_Backtab, SHIFT) == "Calendar"


def test_walking_shows_what_is_below_and_turns_to_the_next_week(hands: Hands) -> None:
    press(Qt.Key.Key_Tab)
    for _ in range(3):
        press(Qt.Key.Key_Down)
    assert hands.view.viewport().rect().contains(ring(hands))
    shown = hands.pane.grid.shown_day
    assert press(Qt.Key.Key_Down) == free("Thursday 19", "09:00")
    assert hands.pane.grid.shown_day == shown + 7
    assert hands.view.viewport().rect().contains(ring(hands))
    assert press(Qt.Key.Key_Up) == FRIDAY_LATE
    assert hands.pane.grid.shown_day == shown


def ring(hands: Hands) -> QRect:
    assert hands.view.marks.ring is not None
    return hands.view.on_viewport(hands.view.marks.ring)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_begins_a_post_there(hands: Hands, key: Qt.Key) -> None:
    begun: list[tuple[int, tuple[str, ...]]] = []
    hands.pane.slotChosen.connect(lambda at, keys: begun.append((at, keys)))
    press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_Down)
    press(key)
    assert begun == [(instant("2031-06-12T16:00"), ("studio",))]


def test_one_time_of_several_accounts_names_them_all(take: MakeHands, qtbot: QtBot) -> None:
    made = take(span=Span.WEEK, accounts=[account("studio"), account("own", "x")])
    for key in ("studio", "own"):
        made.workspace.slots.put(key, [Slot(key, FRIDAY, NINE)])
    qtbot.waitUntil(
        lambda: names(made) == [free("Friday 13", "09:00", "Name of own on X and Name of studio on LinkedIn")]
    )


def test_the_slot_with_the_focus_has_a_ring(hands: Hands) -> None:
    before = hands.picture()
    press(Qt.Key.Key_Tab)
    place = ring(hands)
    assert hands.picture().copy(place) != before.copy(place)
    press(Qt.Key.Key_Backtab, SHIFT)
    assert hands.view.marks.ring is None
    assert hands.picture().copy(place) == before.copy(place)


def test_without_a_reader_there_is_one_button_until_it_has_the_focus(hands: Hands, qtbot: QtBot) -> None:
    assert not QAccessible.isActive()
    assert names(hands) == [THURSDAY_NINE]
    press(Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: names(hands) == [THURSDAY_NINE, THURSDAY_FIVE, FRIDAY_NINE])


def test_a_screen_reader_finds_each_slot_where_it_is_painted(hands: Hands, qtbot: QtBot) -> None:
    QAccessible.setActive(True)
    try:
        hands.pane.grid.refresh_slots()
        qtbot.waitUntil(lambda: names(hands) == [THURSDAY_NINE, THURSDAY_FIVE, FRIDAY_NINE])
        view = hands.view
        boxes = {
            slot: box
            for day in view.page.geometry.days_in(view.visible)
            for box, slot in view.page.slots_on(day)
        }
        for slot, button in hands.pane.grid.slot_buttons.shown.items():
            found = QAccessible.queryAccessibleInterface(button)
            assert found.role() == QAccessible.Role.Button
            assert found.state().focusable
            assert not found.state().invisible
            place = view.on_viewport(boxes[slot])
            assert found.rect() == QRect(view.viewport().mapToGlobal(place.topLeft()), place.size())
    finally:
        QAccessible.setActive(False)


def test_a_slot_that_is_taken_gives_the_focus_back(hands: Hands, qtbot: QtBot) -> None:
    press(Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: len(names(hands)) == 3)
    hands.workspace.arrive(post("b", "2031-06-12T08:00"))
    qtbot.waitUntil(lambda: names(hands)[:1] == [THURSDAY_FIVE])
    assert focused() == "Calendar"
    assert hands.view.marks.ring is None
    assert press(Qt.Key.Key_Tab) == THURSDAY_FIVE


def test_where_slots_are_not_shown_there_are_no_buttons(hands: Hands, qtbot: QtBot) -> None:
    press(Qt.Key.Key_Tab)
    assert press(Qt.Key.Key_M) != ""  # letters are for the days
    assert hands.pane.grid.span is Span.MONTH
    qtbot.waitUntil(lambda: names(hands) == [])
    assert focused() == "Calendar"
    assert not any(button.isVisible() for button in hands.pane.grid.findChildren(PaintedButton))


def test_a_slot_out_of_sight_is_reached_when_no_other_shows(take: MakeHands, qtbot: QtBot) -> None:
    made = take(span=Span.WEEK, size=(1232, 700))
    made.workspace.slots.put("studio", [Slot("studio", FRIDAY, LATE)])
    made.view.setFocus()
    made.pane.activateWindow()
    qtbot.waitUntil(lambda: names(made) == [FRIDAY_LATE])
    assert press(Qt.Key.Key_Tab) == FRIDAY_LATE
    assert made.view.viewport().rect().contains(ring(made))
