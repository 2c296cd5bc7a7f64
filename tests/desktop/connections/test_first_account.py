"""Without accounts, the pane shows the ways to a first one, and each opens its sheet."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from app.desktop.connections.app_password import AppPasswordSheet
from app.desktop.connections.by_hand import ByHandSheet
from app.desktop.connections.first_account import FirstAccount
from app.desktop.connections.server_sheet import ServerSheet
from app.desktop.theme import theme
from tests.desktop.connections.arriving import Connecting, OnPane
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

LEAST_PANE = 668
"""Width of a pane in a window of 1024 pixels, at the largest text size."""

pytestmark = pytest.mark.usefixtures("browser", "places")


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    service.offers = (*service.offers, "servers", "platforms")
    service.practice = False
    return keep_places(service)


async def first(it: Connecting) -> FirstAccount:
    await until(lambda: it.pane.first is not None and it.pane.first.isVisible())
    assert it.pane.first is not None
    return it.pane.first


def test_each_way_says_how_long_it_takes(on_pane: OnPane) -> None:
    async def story(it: Connecting) -> None:
        ways = await first(it)
        told = [
            (way.accessibleName(), way.accessibleDescription().partition(".")[0])
            for way in (ways.network, ways.by_hand, ways.set_up)
        ]
        assert told == [
            ("Bluesky or Mastodon", "2 min"),
            ("Publish by hand", "1 min"),
            ("Set up a platform", "15 to 40 min"),
        ]
        assert not it.pane.empty.isVisible()

    on_pane(story)


@pytest.mark.parametrize(("row", "kind"), [(0, AppPasswordSheet), (1, ServerSheet)])
def test_the_first_way_opens_the_sheet_of_a_network_by_key(on_pane: OnPane, row: int, kind: type) -> None:
    async def story(it: Connecting) -> None:
        ways = await first(it)
        ways.network.setFocus()
        QTest.keyClick(ways.network, Qt.Key.Key_Return)
        menu: Any = QApplication.activePopupWidget()
        assert [action.text() for action in menu.actions()] == ["Bluesky", "Mastodon"]
        for _ in range(row):
            QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)
        await until(lambda: isinstance(it.pane.sheet, kind))

    on_pane(story)


def test_the_other_ways_open_their_sheets(on_pane: OnPane, qtbot: QtBot) -> None:
    async def story(it: Connecting) -> None:
        ways = await first(it)
        for signal, button in (
            (it.pane.set_up_wanted, ways.set_up),
            (it.pane.samples_wanted, ways.samples),
        ):
            with qtbot.waitSignal(signal, timeout=1):
                button.click()
        it.pane.connect_button.click()
        menu: Any = QApplication.activePopupWidget()
        assert "LinkedIn" in [action.text() for action in menu.actions()]
        menu.close()
        ways.by_hand.click()
        await until(lambda: isinstance(it.pane.sheet, ByHandSheet))

    on_pane(story)


def test_at_the_largest_text_nothing_scrolls_sideways(on_pane: OnPane, qapp: QApplication) -> None:
    async def story(it: Connecting) -> None:
        ways = await first(it)
        theme.apply(qapp, "light", 2.0)
        it.pane.resize(LEAST_PANE, 600)
        await until(lambda: ways.set_up.width() < LEAST_PANE)
        assert it.pane.minimumSizeHint().width() <= LEAST_PANE
        assert [bar for bar in it.pane.findChildren(QScrollArea) if bar.horizontalScrollBar().maximum()] == []

    on_pane(story)


def test_the_ways_go_once_there_is_an_account(on_pane: OnPane, service: ModelService) -> None:
    async def story(it: Connecting) -> None:
        ways = await first(it)
        service.add_account("linkedin")
        await it.opened.refresh()
        await until(it.pane.cards)
        assert not ways.isVisible()

    on_pane(story)


def test_practice_platforms_need_no_set_up(on_pane: OnPane, service: ModelService) -> None:
    service.practice = True

    async def story(it: Connecting) -> None:
        ways = await first(it)
        assert ways.by_hand.isVisible()
        assert not ways.set_up.isVisible()

    on_pane(story)
