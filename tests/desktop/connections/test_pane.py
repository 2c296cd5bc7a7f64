import asyncio
import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QColor, QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.contract.base import format_timestamp
from app.desktop.connections import ConnectionsPane, WaitingSheet
from app.desktop.connections.account_card import NextAccount
from app.desktop.connections.boards import BoardSheet
from app.desktop.theme import theme
from app.desktop.widgets import Avatar, Button
from app.workspace.accounts.account import Account
from app.workspace.clock import from_millis
from app.workspace.messages import Message
from tests.desktop.running import run, service_of_today, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


class Browser(QObject):
    """Takes the addresses that the app opens."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def visit(self, url: QUrl) -> None:
        self.opened.append(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))


@pytest.fixture(autouse=True)
def browser(qapp: QApplication) -> Iterator[Browser]:
    theme.apply(qapp, "light")
    made = Browser()
    # The type stub asks for bytes; what runs takes only a str.
    QDesktopServices.setUrlHandler("https", made, "visit")  # type: ignore[arg-type,unused-ignore]
    yield made
    QDesktopServices.unsetUrlHandler("https")


@pytest.fixture
def service() -> ModelService:
    return service_of_today()


async def waiting(pane: ConnectionsPane) -> WaitingSheet:
    await until(lambda: isinstance(pane.sheet, WaitingSheet) and pane.sheet.time_left())
    assert isinstance(pane.sheet, WaitingSheet)
    return pane.sheet


def arrive(service: ModelService, platform: str = "x") -> str:
    """What the service has after the person allowed access."""
    key = service.add_account(platform)
    connection_id = str(next(reversed(service.pending)))
    service.connections[-1]["id"] = connection_id
    del key
    return connection_id


def names(pane: ConnectionsPane) -> list[str]:
    return [card.account.name for card in pane.cards()]


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
            assert [chip.text() for chip in pane.chips.values()] == ["All 3", "Working 2", "To reconnect 1"]
            pane.chips["ended"].click()
            assert names(pane) == ["Account 2"]
            pane.chips["working"].click()
            assert names(pane) == ["Account 3", "Account 1"]

    run(qapp, work)


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
            QTest.keyClick(sheet.try_again, Qt.Key.Key_Space)
            await until(lambda: browser.opened)
            assert sheet.problem() == ""
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
            assert sheet.accessibleName() == "Connecting a LinkedIn account"
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
            await until(lambda: "as they were known last" in sheet.strip.text())
            assert sheet.names() == ["spring", "Winter"]
            sheet.dismiss()

    run(qapp, work)


def test_the_focus_stays_on_its_card(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    for platform in ("x", "linkedin"):
        service.add_account(platform)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            pane.cards()[1].more.setFocus()
            pane.refresh()
            assert pane.cards()[1].more.hasFocus()

    run(qapp, work)


def says(pane: ConnectionsPane, words: str) -> bool:
    """Whether the sheet that waits is for this."""
    return pane.sheet is not None and words in pane.sheet.accessibleName()


def press(owner: Any, text: str) -> None:
    button = next(one for one in owner.findChildren(Button) if one.text() == text)
    assert button.isVisible()
    button.click()


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


def test_a_card_shows_the_picture_of_its_account_once_it_is_there(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    url, written, asked = "https://cdn.platform.example/face.png", io.BytesIO(), list[str]()
    Image.new("RGB", (64, 64), (0, 255, 0)).save(written, "PNG")

    def found(request: httpx.Request) -> httpx.Response | None:
        if str(request.url) != url:
            return None
        asked.append(url)
        return httpx.Response(200, content=written.getvalue())

    async def work() -> None:
        service.add_account()
        service.add_account()
        service.connections[0]["avatar_url"] = url
        service.parts.append(found)
        async with workspace(tmp_path, service) as opened:
            pane = ConnectionsPane(opened)
            assert not asked  # nothing is fetched for a pane that nobody looks at
            async with shown(pane):
                avatars = {card.account.avatar_url: card.findChild(Avatar) for card in pane.cards()}
                await until(lambda: middle(avatars[url]).red() < 100)
                assert middle(avatars[None]).red() > 100
                pane.refresh()
                (again,) = [card for card in pane.cards() if card.account.avatar_url]
                assert middle(again.findChild(Avatar)).red() < 100
            assert asked == [url]

    run(qapp, work)


def middle(avatar: Avatar | None) -> QColor:
    """What is seen left of an avatar's middle, where initials do not reach."""
    assert avatar is not None
    return avatar.grab().toImage().pixelColor(round(4 * avatar.devicePixelRatio()), avatar.height() // 2)
