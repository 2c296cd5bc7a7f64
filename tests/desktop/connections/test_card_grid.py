"""Where the focus is when cards are made anew, also below a sheet."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.desktop.connections.account_card import NextAccount
from app.desktop.connections.boards import BoardSheet
from app.desktop.connections.card_grid import CardGrid
from app.desktop.widgets import Button
from tests.desktop.connections.arriving import Connecting, OnPane, add_ended, names, waiting
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

pytestmark = pytest.mark.usefixtures("browser")


def delete_what_is_gone() -> None:
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_reconnection_begun_with_the_keyboard_ends_on_the_card_of_the_account(
    on_pane: OnPane, service: ModelService
) -> None:
    add_ended(service, "x")

    async def story(it: Connecting) -> None:
        (card,) = it.pane.cards()
        again = next(one for one in card.findChildren(Button) if one.text() == "Reconnect")
        again.setFocus()
        QTest.keyClick(again, Qt.Key.Key_Space)
        await waiting(it.pane)
        service.connections[0]["is_available"] = True
        await until(lambda: it.pane.cards()[0] is not card)
        delete_what_is_gone()
        await until(lambda: it.pane.sheet is None)
        delete_what_is_gone()
        await until(it.pane.cards()[0].more.hasFocus)

    on_pane(story)


def test_the_place_for_the_next_account_keeps_the_focus(on_pane: OnPane, service: ModelService) -> None:
    service.add_account("x")

    async def story(it: Connecting) -> None:
        it.pane.findChildren(NextAccount)[-1].setFocus()
        it.pane.rebuild()
        delete_what_is_gone()
        await until(it.pane.findChildren(NextAccount)[-1].hasFocus)

    on_pane(story)


def test_boards_can_be_closed_after_their_card_was_made_anew(on_pane: OnPane, service: ModelService) -> None:
    service.add_board(service.add_account("pinterest"), "Winter")

    async def story(it: Connecting) -> None:
        button = it.pane.cards()[0].boards
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Space)
        (sheet,) = it.pane.window().findChildren(BoardSheet)
        await until(lambda: sheet.names() == ["Winter"])
        it.pane.rebuild()
        delete_what_is_gone()
        await until(it.pane.cards()[0].boards.isVisible)
        sheet.dismiss()
        assert it.pane.cards()[0].boards.hasFocus()

    on_pane(story)


def test_a_menu_stays_open_while_its_account_changes(on_pane: OnPane, service: ModelService) -> None:
    service.add_account("x")

    async def story(it: Connecting) -> None:
        it.pane.cards()[0].more.click()
        menu = QApplication.activePopupWidget()
        assert menu is not None
        it.pane.rebuild()
        delete_what_is_gone()
        assert isValid(menu)
        assert menu.isVisible()
        service.connections[0]["display_name"] = "Renamed"
        await it.opened.refresh()
        menu.close()
        await until(lambda: names(it.pane) == ["Renamed"])

    on_pane(story)


def test_a_card_is_as_wide_alone_as_among_others(qtbot: QtBot) -> None:
    grid = CardGrid()
    qtbot.addWidget(grid)
    grid.resize(1_072, 400)
    grid.show()
    widths = []
    for count in (5, 1, 2):
        cards = [QWidget() for _ in range(count)]
        grid.set_cards(cards, grid.width())
        QApplication.sendPostedEvents()
        qtbot.waitUntil(cards[0].isVisible)
        widths.append(cards[0].width())
    assert len(set(widths)) == 1
