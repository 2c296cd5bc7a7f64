"""Accounts come, and come back, through the browser."""

import asyncio
from datetime import UTC, datetime, timedelta
from functools import partial

import httpx
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.connections.steps import Step
from app.desktop.connections.waiting import WaitingSheet
from app.desktop.theme import theme
from app.language import use
from app.workspace.accounts.account import Account
from tests.desktop.browsing import Browser
from tests.desktop.connections.arriving import (
    Connecting,
    OnPane,
    add_ended,
    arrive,
    names,
    press,
    says,
    waiting,
)
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

pytestmark = pytest.mark.usefixtures("browser")


def test_an_account_is_connected_through_the_browser(
    on_pane: OnPane, service: ModelService, browser: Browser
) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await it.begins()
        assert browser.opened[0].startswith("https://platform.example/authorize?state=st-1")
        assert sheet.time_left() in ("15:00", "14:59")
        key = arrive(service)
        await until(lambda: sheet.steps() == ["Browser opened", "Access allowed", "Account 1"])
        account = await connecting
        assert isinstance(account, Account)
        assert (account.key, it.connected) == (key, [key])
        assert it.pane.sheet is None
        assert names(it.pane) == ["Account 1"]
        assert it.pane.chips["all"].text() == "All 1"

    on_pane(story)


def test_escape_gives_it_up(on_pane: OnPane) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await it.begins()
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
        assert await connecting is None
        assert it.pane.sheet is None

    on_pane(story)


def test_an_attempt_that_ends_as_it_is_given_up_is_said_nowhere(on_pane: OnPane) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await it.begins()
        flow = it.pane._connecting._flow
        assert flow is not None
        flow.cancel()
        sheet.dismiss()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert await connecting is None

    on_pane(story)


def test_another_one_may_begin_at_once_when_one_is_given_up(on_pane: OnPane) -> None:
    async def story(it: Connecting) -> None:
        first, sheet = await it.begins()
        sheet.dismiss()
        second = asyncio.ensure_future(it.pane.connect_platform("linkedin"))
        assert await first is None
        sheet = await waiting(it.pane)
        assert sheet.isVisible()
        sheet.dismiss()
        assert await second is None

    on_pane(story)


def test_no_browser_leaves_the_link_to_copy(on_pane: OnPane) -> None:
    async def story(it: Connecting) -> None:
        QDesktopServices.unsetUrlHandler("file")
        connecting, sheet = await it.begins()
        assert sheet.steps()[0] == "No browser opened. Copy the link and open it yourself."
        press(sheet, "Copy link")
        assert QGuiApplication.clipboard().text().startswith("https://platform.example/authorize")
        sheet.dismiss()
        await connecting

    on_pane(story)


def test_the_page_can_be_opened_again(on_pane: OnPane, browser: Browser) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await it.begins()
        press(sheet, "Open again")
        assert len(browser.opened) == 2
        sheet.dismiss()
        await connecting

    on_pane(story)


def test_a_pasted_address_may_lead_to_a_choice(
    on_pane: OnPane, service: ModelService, browser: Browser
) -> None:
    choice = "https://service.example/choose/abc"
    service.outcome = {"stage": "choosing", "message": "", "connection_id": None, "choose_url": choice}

    async def story(it: Connecting) -> None:
        connecting, sheet = await it.begins()
        sheet.pasted.emit("https://localhost/back?code=c&state=st-1")
        await until(lambda: choice in browser.opened)
        assert "Choose accounts in your browser" in sheet.steps()
        arrive(service)
        await connecting

    on_pane(story)


def test_a_key_that_may_not_connect_is_replaced_instead_of_tried_again(
    on_pane: OnPane, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = service.answer

    def refuse(request: httpx.Request) -> httpx.Response:
        error = {"code": "forbidden", "message": "The key lacks the scope for this."}
        is_change = request.method == "POST"
        return (
            httpx.Response(403, json={"error": error, "request_id": "req-1"})
            if is_change
            else answer(request)
        )

    monkeypatch.setattr(service, "answer", refuse)

    async def story(it: Connecting) -> None:
        wanted: list[bool] = []
        it.pane.key_wanted.connect(lambda: wanted.append(True))
        connecting = asyncio.create_task(it.pane.connect_platform("x"))
        await until(lambda: isinstance(it.pane.sheet, WaitingSheet) and it.pane.sheet.problem())
        sheet = it.pane.sheet
        assert isinstance(sheet, WaitingSheet)
        assert "This API key can't connect accounts." in sheet.problem()
        assert not sheet.try_again.isVisible()
        press(sheet, "Enter new key")
        assert await connecting is None
        assert wanted == [True]

    on_pane(story)


def test_a_useless_pasted_address_is_refused_and_stays(on_pane: OnPane) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await it.begins()
        press(sheet, "Browser shows an error?")
        assert sheet.paste.editor.hasFocus()
        QTest.keyClick(sheet.paste.editor, Qt.Key.Key_Return)
        assert sheet.paste.error() == "Copy the address or the message from the browser first."
        QTest.keyClicks(sheet.paste.editor, "https://nowhere.example/")
        QTest.keyClick(sheet.paste.editor, Qt.Key.Key_Return)
        await until(lambda: "doesn't contain the platform's response" in sheet.paste.error())
        sheet.dismiss()
        await connecting

    on_pane(story)


def test_a_denial_brings_the_window_to_the_front(on_pane: OnPane, service: ModelService) -> None:
    async def story(it: Connecting) -> None:
        connecting, sheet = await it.begins()
        browser = QWidget()
        browser.show()
        browser.activateWindow()
        await until(browser.isActiveWindow)
        (body,) = service.pending.values()
        await asyncio.to_thread(httpx.get, f"{body['redirect_url']}?status=denied", trust_env=False)
        await until(sheet.problem)
        assert "declined" in sheet.problem()
        assert [step.state() for step in sheet.findChildren(Step)] == ["done", "failed", "later"]
        await until(sheet.isActiveWindow)
        browser.deleteLater()
        sheet.dismiss()
        await connecting

    on_pane(story)


def test_a_service_that_cannot_begin_is_said_and_tried_again(
    on_pane: OnPane, service: ModelService, browser: Browser
) -> None:
    async def story(it: Connecting) -> None:
        service.faults.append(("POST", "refuse"))
        connecting = asyncio.create_task(it.pane.connect_platform("x"))
        await until(lambda: isinstance(it.pane.sheet, WaitingSheet) and it.pane.sheet.problem())
        sheet = it.pane.sheet
        assert isinstance(sheet, WaitingSheet)
        assert sheet.try_again.hasFocus()
        assert sheet.steps()[0] == "No browser opened"
        QTest.keyClick(sheet.try_again, Qt.Key.Key_Space)
        await until(lambda: browser.opened)
        assert sheet.problem() == ""
        await until(lambda: sheet.steps()[0] == "Browser opened")
        arrive(service)
        assert await connecting is not None

    on_pane(story)


def test_an_ended_account_is_connected_again_from_its_card(on_pane: OnPane, service: ModelService) -> None:
    add_ended(service, "x")

    async def story(it: Connecting) -> None:
        press(it.pane.cards()[0], "Reconnect")
        await waiting(it.pane)
        service.connections[0]["is_available"] = True
        await until(lambda: it.pane.sheet is None)
        assert [card.standing.urgency for card in it.pane.cards()] == ["fine"]

    on_pane(story)


def test_only_the_account_of_the_card_comes_back(
    on_pane: OnPane, service: ModelService, browser: Browser
) -> None:
    """Another account of the platform that appears meanwhile is not taken for it."""
    key = service.add_account("x", available=False)

    async def story(it: Connecting) -> None:
        press(it.pane.cards()[0], "Reconnect")
        sheet = await waiting(it.pane)
        assert sheet.accessibleName() == "Reconnect Account 1 on X"
        assert sheet.steps()[1] == "Sign in as Account 1 and allow access at platform.example"
        assert service.reauthorized == [key]
        assert browser.opened == ["https://platform.example/authorize?state=again-1"]
        service.add_account("x")
        await it.opened.refresh()
        assert len(it.pane.cards()) == 2
        assert it.pane.sheet is sheet
        service.connections[0]["is_available"] = True
        await until(lambda: it.pane.sheet is None)

    on_pane(story)


def test_all_that_ended_come_back_one_after_the_other(on_pane: OnPane, service: ModelService) -> None:
    add_ended(service, "x", "linkedin", "tiktok")

    async def story(it: Connecting) -> None:
        names = [account.name for account in it.opened.accounts.values()]
        press(it.pane, "Reconnect all (3)")
        for number, name in enumerate(names, 1):
            await until(partial(says, it.pane, f"Reconnect {name} on "))
            assert says(it.pane, f"({number} of 3)")
            await waiting(it.pane)
            if number == 2:
                press(it.pane.sheet, "Skip this account")
                continue
            found = next(one for one in service.connections if one["display_name"] == name)
            found["is_available"] = True
        await until(lambda: it.told)
        assert it.told[0].text == "2 of 3 accounts reconnected."
        assert it.pane.chips["ended"].text() == "Needs attention 1"
        assert not it.pane.reconnect_all.isVisible()

    on_pane(story)


def test_giving_one_up_ends_the_row(on_pane: OnPane, service: ModelService) -> None:
    add_ended(service, "x", "linkedin")

    async def story(it: Connecting) -> None:
        press(it.pane, "Reconnect all (2)")
        sheet = await waiting(it.pane)
        press(sheet, "Cancel")
        await until(lambda: it.told)
        assert it.told[0].text == "0 of 2 accounts reconnected."
        assert it.pane.sheet is None
        assert len(service.reauthorized) == 1

    on_pane(story)


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_buttons_of_the_sheet_are_whole(qapp: QApplication, qtbot: QtBot, language: str) -> None:
    theme.apply(qapp, "light")
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1_000, 700)
    host.show()
    use(language)
    try:
        sheet = WaitingSheet(host, "linkedin", again="Okafor Studio", place="1 of 2")
    finally:
        use("en")
    sheet.show_link(
        "https://platform.example/", "platform.example", datetime.now(UTC) + timedelta(minutes=15)
    )
    sheet.present()
    qapp.processEvents()
    assert not list(cut_texts(texts_of(host)))
