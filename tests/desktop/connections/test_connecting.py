"""Accounts come, and come back, through the browser."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.connections import ConnectionsPane, WaitingSheet
from app.workspace.accounts.account import Account
from app.workspace.messages import Message
from tests.desktop.browsing import Browser
from tests.desktop.connections.arriving import arrive, names, press, says, waiting
from tests.desktop.running import run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

pytestmark = pytest.mark.usefixtures("browser")


def test_an_account_is_connected_through_the_browser(
    qapp: QApplication, tmp_path: Path, service: ModelService, browser: Browser
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            told: list[str] = []
            pane.connected.connect(told.append)
            connecting = asyncio.create_task(pane.connect_platform("x"))
            sheet = await waiting(pane)
            assert browser.opened[0].startswith("https://platform.example/authorize?state=st-1")
            assert sheet.time_left() in ("15:00", "14:59")
            key = arrive(service)
            await until(lambda: sheet.steps() == ["Browser opened", "Access allowed", "Account 1"])
            account = await connecting
            assert isinstance(account, Account)
            assert (account.key, told) == (key, [key])
            assert pane.sheet is None
            assert names(pane) == ["Account 1"]
            assert pane.chips["all"].text() == "All 1"

    run(qapp, work)


def test_escape_gives_it_up(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            connecting = asyncio.create_task(pane.connect_platform("x"))
            sheet = await waiting(pane)
            QTest.keyClick(sheet, Qt.Key.Key_Escape)
            assert await connecting is None
            assert pane.sheet is None

    run(qapp, work)


def test_an_attempt_that_ends_as_it_is_given_up_is_said_nowhere(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            connecting = asyncio.ensure_future(pane.connect_platform("x"))
            sheet = await waiting(pane)
            flow = pane._connecting._flow
            assert flow is not None
            flow.cancel()
            sheet.dismiss()
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            assert await connecting is None

    run(qapp, work)


def test_another_one_may_begin_at_once_when_one_is_given_up(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            first = asyncio.ensure_future(pane.connect_platform("x"))
            (await waiting(pane)).dismiss()
            second = asyncio.ensure_future(pane.connect_platform("linkedin"))
            assert await first is None
            sheet = await waiting(pane)
            assert sheet.isVisible()
            sheet.dismiss()
            assert await second is None

    run(qapp, work)


def test_no_browser_leaves_the_link_to_copy(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            QDesktopServices.unsetUrlHandler("https")
            connecting = asyncio.create_task(pane.connect_platform("x"))
            sheet = await waiting(pane)
            assert sheet.steps()[0] == "No browser opened. Copy the link and open it yourself."
            press(sheet, "Copy link")
            assert QGuiApplication.clipboard().text().startswith("https://platform.example/authorize")
            sheet.dismiss()
            await connecting

    run(qapp, work)


def test_the_page_can_be_opened_again(
    qapp: QApplication, tmp_path: Path, service: ModelService, browser: Browser
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            connecting = asyncio.create_task(pane.connect_platform("x"))
            sheet = await waiting(pane)
            press(sheet, "Open again")
            assert len(browser.opened) == 2
            sheet.dismiss()
            await connecting

    run(qapp, work)


def test_a_pasted_address_may_lead_to_a_choice(
    qapp: QApplication, tmp_path: Path, service: ModelService, browser: Browser
) -> None:
    choice = "https://service.example/choose/abc"
    service.outcome = {"stage": "choosing", "message": "", "connection_id": None, "choose_url": choice}

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            connecting = asyncio.create_task(pane.connect_platform("x"))
            sheet = await waiting(pane)
            sheet.pasted.emit("https://localhost/back?code=c&state=st-1")
            await until(lambda: choice in browser.opened)
            assert "Choose the accounts in your browser" in sheet.steps()
            arrive(service)
            await connecting

    run(qapp, work)


def test_a_useless_pasted_address_is_refused_and_stays(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            connecting = asyncio.create_task(pane.connect_platform("x"))
            sheet = await waiting(pane)
            press(sheet, "Paste the address instead")
            assert sheet.paste.editor.hasFocus()
            QTest.keyClick(sheet.paste.editor, Qt.Key.Key_Return)
            assert sheet.paste.error() == "Copy the address from the browser first."
            QTest.keyClicks(sheet.paste.editor, "https://nowhere.example/")
            QTest.keyClick(sheet.paste.editor, Qt.Key.Key_Return)
            await until(lambda: "holds no answer" in sheet.paste.error())
            sheet.dismiss()
            await connecting

    run(qapp, work)


def test_a_service_that_cannot_begin_is_said_and_tried_again(
    qapp: QApplication, tmp_path: Path, service: ModelService, browser: Browser
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            service.faults.append(("POST", "refuse"))
            connecting = asyncio.create_task(pane.connect_platform("x"))
            await until(lambda: isinstance(pane.sheet, WaitingSheet) and pane.sheet.problem())
            sheet = pane.sheet
            assert isinstance(sheet, WaitingSheet)
            assert sheet.try_again.hasFocus()
            assert sheet.steps()[0] == "No browser was opened"
            QTest.keyClick(sheet.try_again, Qt.Key.Key_Space)
            await until(lambda: browser.opened)
            assert sheet.problem() == ""
            await until(lambda: sheet.steps()[0] == "Browser opened")
            arrive(service)
            assert await connecting is not None

    run(qapp, work)


def test_an_ended_account_is_connected_again_from_its_card(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("x", available=False)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            press(pane.cards()[0], "Reconnect")
            await waiting(pane)
            service.connections[0]["is_available"] = True
            await until(lambda: pane.sheet is None)
            assert [card.standing.urgency for card in pane.cards()] == ["fine"]

    run(qapp, work)


def test_only_the_account_of_the_card_comes_back(
    qapp: QApplication, tmp_path: Path, service: ModelService, browser: Browser
) -> None:
    """Another account of the platform that appears meanwhile is not taken for it."""
    key = service.add_account("x", available=False)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            press(pane.cards()[0], "Reconnect")
            sheet = await waiting(pane)
            assert sheet.accessibleName() == "Reconnecting Account 1 on X"
            assert sheet.steps()[1] == "Sign in as Account 1 and allow access at platform.example"
            assert service.reauthorized == [key]
            assert browser.opened == ["https://platform.example/authorize?state=again-1"]
            service.add_account("x")
            await opened.refresh()
            assert len(pane.cards()) == 2
            assert pane.sheet is sheet
            service.connections[0]["is_available"] = True
            await until(lambda: pane.sheet is None)

    run(qapp, work)


def test_all_that_ended_come_back_one_after_the_other(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    for platform in ("x", "linkedin", "tiktok"):
        service.add_account(platform, available=False)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            told: list[Message] = []
            pane.told.connect(told.append)
            names = [account.name for account in opened.accounts.values()]
            press(pane, "Reconnect all 3")
            for number, name in enumerate(names, 1):
                await until(partial(says, pane, f"Reconnecting {name} on "))
                assert says(pane, f"({number} of 3)")
                await waiting(pane)
                if number == 2:
                    press(pane.sheet, "Skip this account")
                    continue
                found = next(one for one in service.connections if one["display_name"] == name)
                found["is_available"] = True
            await until(lambda: told)
            assert told[0].text == "2 of 3 accounts are connected again."
            assert pane.chips["ended"].text() == "To reconnect 1"
            assert not pane.reconnect_all.isVisible()

    run(qapp, work)


def test_giving_one_up_ends_the_row(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    for platform in ("x", "linkedin"):
        service.add_account(platform, available=False)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            told: list[Message] = []
            pane.told.connect(told.append)
            press(pane, "Reconnect all 2")
            sheet = await waiting(pane)
            press(sheet, "Cancel")
            await until(lambda: told)
            assert told[0].text == "0 of 2 accounts are connected again."
            assert pane.sheet is None
            assert len(service.reauthorized) == 1

    run(qapp, work)
