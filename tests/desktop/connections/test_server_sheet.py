"""Accounts on a network of many servers: the user names the server, then its page opens in the browser."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.desktop.connections.account_card import NetworkTile
from app.desktop.connections.connecting import offered
from app.desktop.connections.server_sheet import ServerSheet
from app.workspace.accounts.account import Account
from tests.desktop.browsing import Browser
from tests.desktop.connections.arriving import Connecting, OnPane, waiting
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service, servers=True)


async def opens(it: Connecting) -> tuple[asyncio.Task[Account | None], ServerSheet]:
    await until(lambda: it.opened.places.connects("mastodon"))
    connecting = asyncio.create_task(it.pane.connect_platform("mastodon"))
    await until(lambda: isinstance(it.pane.sheet, ServerSheet))
    assert isinstance(it.pane.sheet, ServerSheet)
    return connecting, it.pane.sheet


def test_an_account_is_connected_by_keyboard(on_pane: OnPane, places: ModelPlaces, browser: Browser) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        assert sheet.line.hasFocus()
        assert not sheet.server.error()
        QTest.keyClicks(sheet.line, "@maya@wool.example")
        QTest.keyClick(sheet.line, Qt.Key.Key_Return)
        await waiting(it.pane)
        assert places.effects == ["ask @maya@wool.example"]
        await until(lambda: browser.opened)
        key = places.arrive("maya@wool.example")
        account = await connecting
        assert account is not None
        assert (account.key, account.platform) == (key, "mastodon")
        assert it.connected == [key]

    on_pane(story)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("not_a_server", "isn't the name of a server"),
        ("not_mastodon", "isn't a Mastodon-compatible server"),
        ("unreachable", "can't be reached"),
    ],
)
def test_a_server_that_cannot_be_used_is_named_at_its_field(
    on_pane: OnPane, places: ModelPlaces, kind: str, words: str
) -> None:
    async def story(it: Connecting) -> None:
        places.refusal = ("server", kind)
        connecting, sheet = await opens(it)
        sheet.line.setText("wool.example")
        sheet.connect_button.click()
        await until(sheet.server.error)
        assert words in sheet.server.error()
        assert sheet.line.hasFocus()
        assert sheet.connect_button.isEnabled()
        places.refusal = None
        sheet.connect_button.click()
        await waiting(it.pane)
        places.arrive("maya@wool.example")
        assert await connecting is not None

    on_pane(story)


def test_a_server_is_needed(on_pane: OnPane, places: ModelPlaces) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        sheet.line.setText("  ")
        sheet.connect_button.click()
        assert "Enter your server" in sheet.server.error()
        sheet.cancel.click()
        assert await connecting is None
        assert places.effects == []
        assert it.pane.sheet is None

    on_pane(story)


def test_an_account_is_reconnected_without_naming_its_server_again(
    on_pane: OnPane, places: ModelPlaces
) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await opens(it)
        sheet.line.setText("wool.example")
        sheet.connect_button.click()
        await waiting(it.pane)
        key = places.arrive("maya@wool.example")
        account = await connecting
        assert account is not None
        places.connections[-1]["is_available"] = False
        await it.pane.fetch()
        await until(lambda: not it.opened.accounts[key].is_available)
        it.pane.connect_again(key)
        await waiting(it.pane)
        assert places.effects[-1] == "ask maya@wool.example"
        places.arrive("maya@wool.example", key)
        await until(lambda: it.opened.accounts[key].is_available)

    on_pane(story)


def test_the_tile_shows_only_where_the_service_can_connect_servers(
    on_pane: OnPane, service: ModelService
) -> None:
    keep_places(service)

    async def story(it: Connecting) -> None:
        await until(lambda: it.pane.findChildren(NetworkTile))
        assert "mastodon" not in offered(it.opened)
        assert not it.opened.places.connects("mastodon")

    on_pane(story)
