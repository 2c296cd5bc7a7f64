"""The bar that shows while several posts are selected."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.contract.enums import PostStatus
from app.desktop.calendar.selection_bar import SelectionBar
from app.desktop.theme import theme
from app.desktop.widgets import Label, Menu
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import instant, post


@pytest.fixture
def hands(take: MakeHands) -> Hands:
    return take(*(post(key, f"2031-06-{day}T08:00") for key, day in (("a", 12), ("b", 13), ("c", 18))))


@pytest.fixture
def bar(hands: Hands) -> SelectionBar:
    hands.choose("a", "b", "c")
    return hands.pane.selection_bar


def test_it_shows_for_several_posts_only(hands: Hands) -> None:
    bar = hands.pane.selection_bar
    assert not bar.isVisible()
    hands.choose("a")
    assert not bar.isVisible()
    hands.choose("a", "b")
    assert bar.isVisible()
    assert [label.text() for label in bar.findChildren(Label)] == ["2 selected"]
    hands.choose("a", "b", "c")
    assert [label.text() for label in bar.findChildren(Label)] == ["3 selected"]
    hands.press(Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_it_does_not_show_for_posts_that_a_panel_points_at(hands: Hands) -> None:
    hands.pane.point_at(["a", "b"])
    assert hands.pane.grid.view.selection.keys == {"a", "b"}
    assert not hands.pane.selection_bar.isVisible()
    hands.choose("a", "b", "c")
    assert hands.pane.selection_bar.isVisible()
    hands.pane.point_at(())
    assert not hands.pane.selection_bar.isVisible()


def test_what_it_offers_is_done_with_all_of_them(hands: Hands, bar: SelectionBar) -> None:
    copied: list[list[str]] = []
    hands.pane.duplicateRequested.connect(copied.append)
    bar.duplicate_button.click()
    assert [sorted(keys) for keys in copied] == [["a", "b", "c"]]
    bar.move_button.click()
    (menu,) = bar.findChildren(Menu)
    next(action for action in menu.actions() if action.text().startswith("Move a day later")).trigger()
    assert [hands.post(key).at for key in "ab"] == [instant(f"2031-06-{day}T08:00") for day in (13, 14)]
    bar.cancel_button.click()
    assert {hands.post(key).status for key in "abc"} == {PostStatus.CANCELLED}


@pytest.mark.parametrize("by_key", [True, False])
def test_clearing_the_selection_returns_the_focus(
    hands: Hands, bar: SelectionBar, qtbot: QtBot, by_key: bool
) -> None:
    hands.pane.activateWindow()
    bar.move_button.setFocus()
    qtbot.waitUntil(bar.move_button.hasFocus)
    if by_key:
        QTest.keyClick(bar.move_button, Qt.Key.Key_Escape)
    else:
        bar.clear_button.click()
    assert hands.view.selection.keys == frozenset()
    assert not bar.isVisible()
    assert hands.view.hasFocus()


def test_it_steps_aside_while_posts_are_dragged(hands: Hands, bar: SelectionBar) -> None:
    with hands.dragging("a", hands.cell("2031-06-26").center()):
        assert not bar.isVisible()
    assert bar.isVisible()


@pytest.mark.parametrize("width", [300, 480, 1232])
def test_it_stays_within_the_days_and_keeps_its_names(hands: Hands, bar: SelectionBar, width: int) -> None:
    hands.pane.resize(width, 700)
    QApplication.processEvents()
    buttons = bar.move_button, bar.duplicate_button, bar.cancel_button, bar.clear_button
    names = ["Move", "Duplicate", "Cancel posts", "Clear the selection"]
    assert [button.accessibleName() for button in buttons] == names
    for button in buttons:
        corner = button.mapTo(hands.pane.grid, button.rect().topLeft())
        assert hands.pane.grid.rect().contains(button.rect().translated(corner))
    assert bool(bar.move_button.text()) == (width > 480)


def test_large_words_leave_the_number_and_the_icons(
    hands: Hands, bar: SelectionBar, qapp: QApplication
) -> None:
    theme.apply(qapp, "light", 2.0)
    hands.pane.resize(365, 700)
    QApplication.processEvents()
    texts = [label.text() for label in bar.findChildren(Label)]
    corner = bar.clear_button.mapTo(hands.pane.grid, bar.clear_button.rect().topRight())
    fits = corner.x() <= hands.pane.grid.width()
    theme.apply(qapp, "light")
    assert texts == ["3"]
    assert fits
