"""Accounts on Bluesky are connected with a handle and an app password, and disconnected again."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.connections.account_card import NetworkTile
from app.desktop.connections.app_password import AppPasswordSheet
from app.desktop.connections.connecting import offered
from app.desktop.settings.rows import ConfirmSheet
from app.desktop.widgets import LineEdit, Menu
from app.workspace.accounts.account import Account
from tests.desktop.browsing import Browser
from tests.desktop.connections.arriving import Connecting, OnPane, names
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import HOUR, START, ModelService
from tests.workspace.opened import until

PASSWORD = "abcd-efgh-2345-6789"

pytestmark = pytest.mark.usefixtures("browser")


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service)


async def opens(it: Connecting) -> tuple[asyncio.Task[Account | None], AppPasswordSheet]:
    await until(lambda: it.opened.places.offered)
    connecting = asyncio.create_task(it.pane.connect_platform("bluesky"))
    await until(lambda: isinstance(it.pane.sheet, AppPasswordSheet))
    assert isinstance(it.pane.sheet, AppPasswordSheet)
    return connecting, it.pane.sheet


def fill(sheet: AppPasswordSheet, handle: str, password: str) -> None:
    for field, text in ((sheet.handle, handle), (sheet.password, password)):
        assert isinstance(field.editor, LineEdit)
        field.editor.setText(text)


def test_an_account_is_connected_by_keyboard(on_pane: OnPane, places: ModelPlaces) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        assert sheet.handle.editor.hasFocus()
        QTest.keyClicks(sheet.handle.editor, "maya.bsky.social")
        sheet.password.editor.setFocus()
        QTest.keyClicks(sheet.password.editor, PASSWORD)
        QTest.keyClick(sheet.password.editor, Qt.Key.Key_Return)
        account = await connecting
        assert account is not None
        assert account.platform == "bluesky"
        assert places.effects == [f"sign in maya.bsky.social {PASSWORD}"]
        assert it.connected == [account.key]
        assert names(it.pane) == ["Maya Okafor"]
        assert it.pane.sheet is None

    on_pane(story)


def test_the_tile_begins_and_goes_once_there_is_an_account(
    on_pane: OnPane, places: ModelPlaces, service: ModelService
) -> None:
    async def story(it: Connecting) -> None:
        service.add_account("linkedin")
        await it.opened.refresh()
        await until(lambda: it.pane.findChildren(NetworkTile))
        tiles = [one for one in it.pane.findChildren(NetworkTile) if one.isVisible()]
        (tile,) = [one for one in tiles if one.text() == "Connect Bluesky"]
        tile.click()
        await until(lambda: it.pane.sheet is not None)
        sheet = it.pane.sheet
        assert isinstance(sheet, AppPasswordSheet)
        fill(sheet, "maya.bsky.social", PASSWORD)
        sheet.connect_button.click()
        await until(lambda: "Maya Okafor" in names(it.pane))
        shown = [one.text() for one in it.pane.findChildren(NetworkTile) if one.isVisible()]
        assert shown == ["Publish by hand"]
        assert len(places.connections) == 1

    on_pane(story)


def test_an_older_service_offers_no_such_network(on_pane: OnPane, service: ModelService) -> None:
    service.add_account("x")

    async def story(it: Connecting) -> None:
        await until(lambda: names(it.pane))
        assert "bluesky" not in offered(it.opened)
        assert not it.pane.findChildren(NetworkTile)

    on_pane(story)


@pytest.mark.parametrize(
    ("handle", "password", "wrong", "words"),
    [
        ("", PASSWORD, "handle", "Enter the handle"),
        ("maya", " ", "password", "Enter the app password."),
    ],
)
def test_what_is_missing_is_asked_for(
    on_pane: OnPane, places: ModelPlaces, handle: str, password: str, wrong: str, words: str
) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        fill(sheet, handle, password)
        sheet.connect_button.click()
        field = sheet.handle if wrong == "handle" else sheet.password
        assert field.error().startswith(words)
        assert field.editor.hasFocus()
        assert places.effects == []
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
        assert await connecting is None

    on_pane(story)


@pytest.mark.parametrize(
    ("refusal", "wrong", "words"),
    [
        (("handle", "unknown_handle"), "handle", "There's no account with this handle. Check the spelling."),
        (("app_password", "not_an_app_password"), "password", "That isn't an app password"),
        (("app_password", "wrong_app_password"), "password", "Bluesky doesn't accept this app password."),
    ],
)
def test_a_refusal_is_shown_at_its_field_and_can_be_corrected(
    on_pane: OnPane, places: ModelPlaces, refusal: tuple[str, str], wrong: str, words: str
) -> None:
    places.refusal = refusal

    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        fill(sheet, "maya.bsky.social", PASSWORD)
        sheet.connect_button.click()
        field = sheet.handle if wrong == "handle" else sheet.password
        await until(field.error)
        assert field.error().startswith(words)
        assert field.editor.hasFocus()
        assert sheet.problem() == field.error()
        places.refusal = None
        QTest.keyClick(field.editor, Qt.Key.Key_Return)
        assert await connecting is not None

    on_pane(story)


def test_a_network_that_does_not_answer_is_shown_above_the_buttons(
    on_pane: OnPane, places: ModelPlaces
) -> None:
    places.refusal, places.status = ("x", "x"), 500

    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        fill(sheet, "maya.bsky.social", PASSWORD)
        sheet.connect_button.click()
        assert not sheet.connect_button.isEnabled()
        await until(sheet.problem)
        assert sheet.problem().startswith("Bluesky can't be reached.")
        assert sheet.connect_button.hasFocus()
        sheet.dismiss()
        assert await connecting is None

    on_pane(story)


def test_the_page_for_app_passwords_opens_in_the_browser(
    on_pane: OnPane, service: ModelService, places: ModelPlaces, browser: Browser
) -> None:
    service.practice = False

    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        assert not it.opened.practice
        sheet.create_link.click()
        assert browser.opened == ["https://bsky.app/settings/app-passwords"]
        sheet.dismiss()
        await connecting

    on_pane(story)
    del places


def test_an_account_is_disconnected_and_reconnected(on_pane: OnPane, places: ModelPlaces) -> None:
    account = places.add_account("bluesky")
    places.add_bluesky_post(account, START + HOUR, "planned")

    async def story(it: Connecting) -> None:
        await until(lambda: names(it.pane) and len(it.opened.posts) == 1)
        (card,) = it.pane.cards()
        card.more.click()
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, Menu)
        next(one for one in menu.actions() if one.text() == "Disconnect").trigger()
        menu.close()
        (sheet,) = it.pane.window().findChildren(ConfirmSheet)
        assert sheet.text.text().endswith("1 scheduled post will fail unless you reconnect the account.")
        sheet.go.click()
        await until(lambda: not it.opened.accounts[account].is_available)
        await until(lambda: it.pane.cards()[0].standing.text == "Disconnected")
        await until(lambda: it.told)
        assert it.told[-1].text == "Account 1 was disconnected."
        it.pane.connect_again(account)
        await until(lambda: isinstance(it.pane.sheet, AppPasswordSheet))
        again = it.pane.sheet
        assert isinstance(again, AppPasswordSheet)
        assert it.pane.window().focusWidget() is again.password.editor
        assert isinstance(again.handle.editor, LineEdit)
        assert again.handle.editor.isReadOnly()
        QTest.keyClicks(again.password.editor, PASSWORD)
        again.connect_button.click()
        await until(lambda: it.opened.accounts[account].is_available)
        assert places.effects[-1] == f"sign in id-1 {PASSWORD}"

    on_pane(story)
