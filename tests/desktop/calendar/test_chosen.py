"""Commands only change posts that the user chose, also if one of them disappears."""

import pytest
from PySide6.QtCore import Qt

from app.contract.enums import PostStatus
from app.desktop.calendar.filters import Filter
from app.workspace.slots.slots import Slot
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ALT
from tests.desktop.calendar.memory import post
from tests.desktop.calendar.test_keys import open_menus

Key = Qt.Key


def test_the_keyboard_keeps_its_place_when_its_post_goes(take: MakeHands) -> None:
    hands = take(*(post(day, f"2031-06-{day}T08:00") for day in ("12", "13", "14", "15")))
    hands.pane.filters.choose(Filter(statuses=frozenset({PostStatus.SCHEDULED})))
    hands.choose("13")
    hands.press(Key.Key_Delete)
    assert hands.post("13").status is PostStatus.CANCELLED
    hands.press(Key.Key_Delete)  # the next one is not chosen yet, so nothing happens to it
    assert (hands.view.selection.current, hands.view.selection.keys) == ("14", frozenset())
    assert hands.post("14").status is PostStatus.SCHEDULED
    hands.press(Key.Key_Down)
    hands.press(Key.Key_Delete)
    assert hands.view.selection.current == "14", "after the last one there is the one before"
    hands.pane.filters.clear()
    assert hands.view.selection.current == "14"


def test_a_key_pressed_again_moves_no_other_post(take: MakeHands) -> None:
    hands = take(*(post(day, f"2031-06-{day}T08:00") for day in ("12", "13", "14")))
    hands.workspace.slots.put("studio", [Slot("studio", weekday=3, minute=540)])
    hands.choose("13")
    hands.workspace.arrive(removed=["13"])
    assert hands.view.selection.current == "14"
    before = hands.post("14").at
    for key in (Key.Key_Right, Key.Key_Down):
        hands.press(key, ALT)
    hands.press(Key.Key_S)
    hands.press(Key.Key_Escape)  # there is nothing to deselect
    hands.press(Key.Key_Right, ALT)
    assert hands.post("14").at == before
    hands.press(Key.Key_Space)
    hands.press(Key.Key_Right, ALT)
    assert hands.post("14").at > before


@pytest.mark.parametrize("name", ["Move a day later", "Move to the next free slot", "Duplicate posts"])
def test_an_open_menu_acts_on_no_other_post(take: MakeHands, name: str) -> None:
    hands = take(*(post(day, f"2031-06-{day}T08:00") for day in ("12", "13", "14")))
    hands.workspace.slots.put("studio", [Slot("studio", weekday=3, minute=540)])
    hands.choose("13")
    hands.press(Key.Key_Menu)
    (menu,) = open_menus()
    others = {key: hands.post(key) for key in ("12", "14")}
    copied: list[object] = []
    hands.pane.duplicateRequested.connect(copied.append)
    hands.workspace.arrive(removed=["13"])
    next(action for action in menu.actions() if action.text().startswith(name)).trigger()
    menu.close()
    assert {key: hands.post(key) for key in ("12", "14")} == others
    assert copied == []
