"""An account that is named by its handle: allowed in the browser, or with an app password."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.contract.base import format_timestamp
from app.desktop.connections.app_password import AppPasswordSheet
from app.desktop.connections.server_sheet import ServerSheet
from app.desktop.widgets import Button
from app.workspace.accounts.account import Account
from app.workspace.clock import from_millis, wall_clock
from tests.desktop.browsing import Browser
from tests.desktop.connections.arriving import Connecting, OnPane, waiting
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

PASSWORD = "abcd-efgh-2345-6789"


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service, handles=True)


async def opens(it: Connecting) -> tuple[asyncio.Task[Account | None], ServerSheet]:
    await until(lambda: it.opened.places.takes_handles)
    connecting = asyncio.create_task(it.pane.connect_platform("bluesky"))
    await until(lambda: isinstance(it.pane.sheet, ServerSheet))
    assert isinstance(it.pane.sheet, ServerSheet)
    return connecting, it.pane.sheet


async def connects(it: Connecting, places: ModelPlaces) -> str:
    connecting, sheet = await opens(it)
    sheet.line.setText("maya.bsky.social")
    sheet.connect_button.click()
    await waiting(it.pane)
    key = places.arrive("maya.bsky.social", platform="bluesky")
    account = await connecting
    assert account is not None
    assert account.key == key
    return key


def test_an_account_is_connected_by_keyboard(on_pane: OnPane, places: ModelPlaces, browser: Browser) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        assert sheet.line.hasFocus()
        QTest.keyClicks(sheet.line, "@maya.bsky.social")
        QTest.keyClick(sheet.line, Qt.Key.Key_Return)
        await waiting(it.pane)
        assert places.effects == ["ask @maya.bsky.social"]
        await until(lambda: browser.opened)
        key = places.arrive("maya.bsky.social", platform="bluesky")
        account = await connecting
        assert account is not None
        assert (account.key, account.platform) == (key, "bluesky")

    on_pane(story)


def test_an_app_password_is_the_other_way(on_pane: OnPane, places: ModelPlaces) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        QTest.keyClicks(sheet.line, "maya.bsky.social")
        sheet.link.click()
        await until(lambda: isinstance(it.pane.sheet, AppPasswordSheet))
        second = it.pane.sheet
        assert isinstance(second, AppPasswordSheet)
        assert second.password.editor.hasFocus()
        QTest.keyClicks(second.password.editor, PASSWORD)
        QTest.keyClick(second.password.editor, Qt.Key.Key_Return)
        assert await connecting is not None
        assert places.effects == [f"sign in maya.bsky.social {PASSWORD}"]

    on_pane(story)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("unknown_handle", "no account with this handle"),
        ("no_server", "Try an app password"),
        ("not_local", "another computer"),
        ("unreachable", "can't be reached"),
    ],
)
def test_what_is_wrong_is_said_at_the_field(
    on_pane: OnPane, places: ModelPlaces, kind: str, words: str
) -> None:
    async def story(it: Connecting) -> None:
        places.refusal = ("server", kind)
        connecting, sheet = await opens(it)
        sheet.line.setText("maya.bsky.social")
        sheet.connect_button.click()
        await until(sheet.server.error)
        assert words in sheet.server.error()
        assert sheet.line.hasFocus()
        sheet.cancel.click()
        assert await connecting is None

    on_pane(story)


def test_a_handle_is_needed(on_pane: OnPane, places: ModelPlaces) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        sheet.connect_button.click()
        assert "Enter the handle" in sheet.server.error()
        sheet.cancel.click()
        assert await connecting is None
        assert places.effects == []

    on_pane(story)


def test_an_account_is_reconnected_by_its_identifier(on_pane: OnPane, places: ModelPlaces) -> None:
    """Its handle may have changed since."""

    async def story(it: Connecting) -> None:
        key = await connects(it, places)
        identifier = it.opened.accounts[key].identifier
        places.connections[-1]["is_available"] = False
        await it.pane.fetch()
        await until(lambda: not it.opened.accounts[key].is_available)
        it.pane.connect_again(key)
        await until(lambda: isinstance(it.pane.sheet, ServerSheet))
        sheet = it.pane.sheet
        assert isinstance(sheet, ServerSheet)
        assert (sheet.line.text(), sheet.line.isReadOnly()) == ("@maya.bsky.social", True)
        sheet.connect_button.click()
        await waiting(it.pane)
        assert places.effects[-1] == f"ask {identifier}"
        places.arrive("maya.bsky.social", key)
        await until(lambda: it.opened.accounts[key].is_available)

    on_pane(story)


def test_an_account_that_needs_a_new_sign_in_soon_offers_it(
    on_pane: OnPane, service: ModelService, places: ModelPlaces
) -> None:
    """Networks without a developer app are always reconnected the same way."""
    service.practice = False

    async def story(it: Connecting) -> None:
        key = await connects(it, places)
        by = from_millis(wall_clock() + 2 * 86_400_000)
        places.connections[-1]["sign_in_by"] = format_timestamp(by)
        await it.pane.fetch()
        await until(lambda: it.pane.cards()[0].standing.urgency == "soon")
        (card,) = (card for card in it.pane.cards() if card.account.key == key)
        (button,) = (one for one in card.findChildren(Button) if one.text() == "Sign in")
        button.click()
        await until(lambda: isinstance(it.pane.sheet, ServerSheet))

    on_pane(story)


def test_the_end_of_a_session_is_stored(on_pane: OnPane, places: ModelPlaces) -> None:
    async def story(it: Connecting) -> None:
        key = await connects(it, places)
        places.connections[-1]["sign_in_by"] = "2026-12-12T12:00:00.000Z"
        await it.pane.fetch()
        await until(lambda: it.opened.accounts[key].sign_in_by is not None)

    on_pane(story)
