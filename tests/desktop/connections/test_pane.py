"""The pane of connected accounts: what its cards show and offer."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.contract.base import format_timestamp
from app.desktop.connections.account_card import NextAccount
from app.desktop.connections.boards import BoardSheet
from app.desktop.connections.pane import ConnectionsPane
from app.desktop.connections.waiting import WaitingSheet
from app.desktop.theme import theme
from app.desktop.widgets import Button
from app.workspace.clock import from_millis
from tests.desktop.browsing import Browser
from tests.desktop.connections.arriving import names, waiting
from tests.desktop.running import run, shown, workspace
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

pytestmark = pytest.mark.usefixtures("browser")


def test_without_accounts_there_is_one_sentence_and_one_action(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            assert pane.empty.isVisible()
            assert not pane.connect_button.isVisible()

    run(qapp, work)


def test_those_that_need_attention_come_first_and_can_be_filtered(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    for available in (True, False, True):
        service.add_account("linkedin", available=available)
    service.connections[2]["token_expires_at"] = format_timestamp(
        from_millis(service.clock() + 3 * 86_400_000)
    )

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            assert [card.standing.urgency for card in pane.cards()] == ["ended", "soon", "fine"]
            assert [chip.text() for chip in pane.chips.values()] == [
                "All 3",
                "Working 2",
                "Needs attention 1",
            ]
            pane.chips["ended"].click()
            assert names(pane) == ["Account 2"]
            pane.chips["working"].click()
            assert names(pane) == ["Account 3", "Account 1"]

    run(qapp, work)


def test_the_menu_offers_what_can_be_published_to(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            pane.findChildren(NextAccount)[0].click()
            menu: Any = QApplication.activePopupWidget()
            *names, between, last = [action.text() for action in menu.actions()]
            assert names == ["LinkedIn", "TikTok", "Pinterest", "Instagram", "YouTube", "X", "Facebook"]
            assert (between, last) == ("", "Threads and API keys, in the browser")
            QTest.keyClick(menu, Qt.Key.Key_Return)
            sheet = await waiting(pane)
            assert sheet.accessibleName() == "Connect a LinkedIn account"
            sheet.dismiss()
            await until(lambda: pane.sheet is None)

    run(qapp, work)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_any_name_renders_at_any_width(
    qapp: QApplication, tmp_path: Path, service: ModelService, mode: theme.Mode
) -> None:
    for name in ("م" * 200, "Mäuschen 🦊 " * 20, "", "<b>bold</b>"):
        service.add_account()
        service.connections[-1] |= {"display_name": name, "username": name, "follower_count": 10**12}

    async def work() -> None:
        theme.apply(qapp, mode)
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            for width, columns in ((440, 1), (816, 2), (1232, 3), (1700, 5)):
                pane.resize(width, 800)
                await asyncio.sleep(0.01)
                assert pane.grab().width() == width
                assert len({card.x() for card in pane.cards()}) == min(columns, 4)
                assert all(card.width() < width for card in pane.cards())

    run(qapp, work)


@pytest.mark.parametrize("can", [True, False])
def test_renewing_before_the_end_is_offered_only_where_the_service_can(
    qapp: QApplication, tmp_path: Path, service: ModelService, can: bool
) -> None:
    service.offers, service.practice = ("reconnect",) if can else (), False
    service.add_account("linkedin")
    service.connections[0]["token_expires_at"] = format_timestamp(
        from_millis(service.clock() + 3 * 86_400_000)
    )

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            await until(lambda: opened.sync.last_synced and opened.flows.renews is can)
            await opened.refresh()
            (card,) = pane.cards()
            renew = [one for one in card.findChildren(Button) if one.text() == "Renew" and one.isVisible()]
            assert bool(renew) is can
            card.more.click()
            menu: Any = QApplication.activePopupWidget()
            assert ("Renew access" in [action.text() for action in menu.actions()]) is can
            menu.close()

    run(qapp, work)


def test_an_account_without_boards_has_room_for_large_text(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("pinterest")

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(ConnectionsPane(opened), (1_000, 800)) as pane,
        ):
            pane.cards()[0].boards.click()
            (sheet,) = pane.window().findChildren(BoardSheet)
            await until(lambda: sheet.again.isEnabled() and sheet.names() == [])
            theme.apply(qapp, "light", 2.0)
            empty = sheet._empty

            def is_whole() -> bool:
                texts = [text for text in texts_of(sheet.window()) if empty.isAncestorOf(text.widget)]
                return bool(texts) and not list(cut_texts(texts))

            await until(is_whole)
            sheet.dismiss()

    try:
        run(qapp, work)
    finally:
        theme.apply(qapp, "light")


def test_the_boards_of_an_account_are_listed(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = service.add_account("pinterest")
    for name in ("Winter", "spring"):
        service.add_board(key, name)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            pane.cards()[0].boards.click()
            (sheet,) = pane.window().findChildren(BoardSheet)
            await until(lambda: sheet.names() == ["spring", "Winter"])
            assert pane.cards()[0].boards.text() == "2 boards"
            await until(sheet.again.isEnabled)
            service.online = False
            sheet.again.click()
            await until(lambda: "Showing the last known boards" in sheet.strip.text())
            assert sheet.names() == ["spring", "Winter"]
            sheet.dismiss()

    run(qapp, work)


def test_the_focus_stays_on_its_card(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    for platform in ("x", "linkedin"):
        service.add_account(platform)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            pane.cards()[1].more.setFocus()
            pane.rebuild()
            assert pane.cards()[1].more.hasFocus()

    run(qapp, work)


@pytest.mark.parametrize("offered", [True, False])
def test_the_browser_shows_the_page_for_threads_and_keys(
    qapp: QApplication, tmp_path: Path, service: ModelService, browser: Browser, offered: bool
) -> None:
    """Signed in where the service makes such links; a service that has only the page shows that."""
    link = "https://service.example/integrations/sign-in?link=once"
    service.sign_in_link = link if offered else None

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            pane.empty.acted.emit()
            menu: Any = QApplication.activePopupWidget()
            menu.actions()[-1].trigger()
            await until(lambda: browser.opened)
            assert browser.opened == [link if offered else f"{opened.base_url}/integrations"]
            menu.close()

    run(qapp, work)


def test_a_button_can_be_pressed_while_accounts_arrive(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            (card,) = pane.cards()
            QTest.mousePress(card.more, Qt.MouseButton.LeftButton)
            service.add_account("linkedin")
            await opened.refresh()
            assert len(opened.accounts) == 2
            QTest.mouseRelease(card.more, Qt.MouseButton.LeftButton)
            menu: Any = QApplication.activePopupWidget()
            assert menu is not None
            menu.close()
            await until(lambda: len(pane.cards()) == 2)

    run(qapp, work)


def test_the_menu_opens_at_the_button_that_was_pressed(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(ConnectionsPane(opened), (1_072, 760)) as pane,
        ):
            (button,) = pane.empty.findChildren(Button)
            button.click()
            menu: Any = QApplication.activePopupWidget()
            below = button.mapToGlobal(button.rect().bottomLeft()).y()
            assert menu.x() == button.mapToGlobal(button.rect().topLeft()).x()
            assert menu.y() - below < 10
            menu.close()

    run(qapp, work)


def test_without_the_service_nothing_is_said_to_wait(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    """Connecting is done now or not at all; only changes to posts wait for the service."""
    service.add_account("pinterest")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            service.online = False
            task = asyncio.create_task(pane.connect_platform("x"))
            await until(lambda: isinstance(pane.sheet, WaitingSheet) and pane.sheet.problem())
            assert isinstance(pane.sheet, WaitingSheet)
            assert "can't be reached" in pane.sheet.problem()
            assert "wait" not in pane.sheet.problem()
            pane.sheet.dismiss()
            await task
            pane.cards()[0].boards.click()
            (sheet,) = pane.window().findChildren(BoardSheet)
            await until(sheet.failed.isVisible)
            assert "wait" not in sheet.failed.text()
            sheet.dismiss()

    run(qapp, work)
