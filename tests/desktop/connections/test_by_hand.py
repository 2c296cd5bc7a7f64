"""Accounts that the user publishes to by hand are added with a platform and a handle."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.desktop.connections.account_card import AccountCard, NetworkTile
from app.desktop.connections.by_hand import ByHandSheet
from app.desktop.settings.rows import ConfirmSheet
from app.desktop.widgets import Label
from tests.desktop.connections.arriving import Connecting, OnPane, names
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

pytestmark = pytest.mark.usefixtures("browser")


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service)


def tiles(it: Connecting) -> dict[str, NetworkTile]:
    return {tile.text(): tile for tile in it.pane.findChildren(NetworkTile) if tile.isVisible()}


async def opens(it: Connecting) -> ByHandSheet:
    await until(lambda: it.pane.first is not None)
    assert it.pane.first is not None
    it.pane.first.by_hand.click()
    await until(lambda: isinstance(it.pane.sheet, ByHandSheet))
    assert isinstance(it.pane.sheet, ByHandSheet)
    return it.pane.sheet


def test_an_account_is_added_by_keyboard(on_pane: OnPane, places: ModelPlaces) -> None:
    async def story(it: Connecting) -> None:
        sheet = await opens(it)
        assert sheet.platform.hasFocus()
        assert sheet.platform.currentText() == "X"
        named = [sheet.platform.itemText(row) for row in range(sheet.platform.count())]
        assert named == [
            "LinkedIn",
            "TikTok",
            "Pinterest",
            "Instagram",
            "YouTube",
            "X",
            "Facebook",
            "Threads",
        ]
        QTest.keyClick(sheet.platform, Qt.Key.Key_Up)
        assert sheet.platform.currentText() == "YouTube"
        QTest.keyClick(sheet, Qt.Key.Key_Tab)
        assert sheet.line.hasFocus()
        QTest.keyClicks(sheet.line, " @maya.makes ")
        QTest.keyClick(sheet.line, Qt.Key.Key_Return)
        await until(lambda: it.connected)
        (account,) = it.opened.accounts.values()
        assert (account.platform, account.handle) == ("youtube-by-hand", "maya.makes")
        assert not account.practice  # although the other platforms are stand-ins here
        assert places.effects == ["sign in maya.makes "]
        assert "Publish by hand" not in tiles(it)
        (card,) = it.pane.findChildren(AccountCard)
        assert "You publish, Kalends reminds you" in card.accessibleName()

    on_pane(story)


def test_without_a_handle_nothing_is_sent(on_pane: OnPane, places: ModelPlaces) -> None:
    async def story(it: Connecting) -> None:
        sheet = await opens(it)
        sheet.line.setText(" @ ")
        sheet.connect_button.click()
        assert sheet.handle.error() == "Enter the handle, for example maya.makes."
        assert sheet.line.hasFocus()
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
        await until(lambda: it.pane.sheet is None)
        assert places.effects == []
        assert names(it.pane) == []

    on_pane(story)


def test_a_service_that_cannot_be_reached_is_said(
    on_pane: OnPane, service: ModelService, places: ModelPlaces
) -> None:
    async def story(it: Connecting) -> None:
        sheet = await opens(it)
        service.online = False
        sheet.line.setText("maya")
        sheet.connect_button.click()
        await until(sheet.connect_button.isEnabled)
        shown = [label.text() for label in sheet.findChildren(Label)]
        assert "The service can't be reached. Check your network, then try again." in shown
        service.online = True
        sheet.connect_button.click()
        await until(lambda: it.connected)
        assert places.connections

    on_pane(story)


def test_an_account_is_disconnected_and_comes_back_without_a_sheet(
    on_pane: OnPane, places: ModelPlaces
) -> None:
    async def story(it: Connecting) -> None:
        sheet = await opens(it)
        sheet.line.setText("maya")
        sheet.connect_button.click()
        await until(lambda: it.connected)
        (account,) = it.opened.accounts.values()
        places.add_post_by_hand(account.key, places.clock() + 3_600_000, "Wool", "scheduled")
        await it.opened.refresh()
        await until(it.pane.cards)
        it.pane.cards()[0].disconnect_wanted.emit(account.key)
        ask = it.pane.window().findChild(ConfirmSheet)
        assert ask is not None
        ask.go.click()
        await until(lambda: not it.opened.accounts[account.key].is_available)
        it.pane.connect_again(account.key)
        await until(lambda: it.opened.accounts[account.key].is_available)
        assert places.effects[-1] == "sign in maya "
        await asyncio.sleep(0)

    on_pane(story)
