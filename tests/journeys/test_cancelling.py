"""Cancelling a connection: a stray click does nothing, and after Cancel nothing is connected."""

import asyncio
import threading

from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest

from app.desktop.connections.waiting import WaitingSheet
from tests.desktop.browsing import SCHEMES, address_of
from tests.journeys.conftest import Play
from tests.journeys.stage import Actor, Stage
from tests.workspace.programs import consent, follow


class LateBrowser(QObject):
    """Opens the consent page, and allows access on request."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.shown = ""
        for scheme in SCHEMES:
            QDesktopServices.setUrlHandler(scheme, self, "open_page")  # type: ignore[arg-type]

    def close(self) -> None:
        for scheme in SCHEMES:
            QDesktopServices.unsetUrlHandler(scheme)

    @Slot(QUrl)
    def open_page(self, url: QUrl) -> None:
        """Called by Qt instead of starting a browser."""
        self.opened.append(address_of(url))

    def allow(self) -> None:
        """Press Allow, and follow all redirects."""
        threading.Thread(target=self._allow).start()

    def _allow(self) -> None:
        self.shown = follow(consent(self.opened[-1], "allow"))


async def waiting(actor: Actor) -> WaitingSheet:
    def is_open() -> bool:
        sheet = actor.controller.connections.sheet
        return isinstance(sheet, WaitingSheet) and bool(sheet.time_left())

    await actor.until(is_open)
    sheet = actor.controller.connections.sheet
    assert isinstance(sheet, WaitingSheet)
    return sheet


def test_a_click_on_the_dimmed_window_does_not_cancel_connecting(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        browser = LateBrowser()
        async with stage.app() as actor:
            connecting = asyncio.ensure_future(actor.controller.connections.connect_platform("x"))
            sheet = await waiting(actor)
            QTest.mouseClick(sheet, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
            assert sheet.isVisible()
            browser.allow()
            assert await connecting is not None
            await actor.until(lambda: bool(browser.shown))
            assert "The account is connected. You can close this tab." in browser.shown
        browser.close()

    play(journey())


def test_nothing_is_connected_after_cancel_and_the_browser_says_so(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        browser = LateBrowser()
        async with stage.app() as actor:
            await actor.until(lambda: actor.workspace.flows.renews)
            connecting = asyncio.ensure_future(actor.controller.connections.connect_platform("x"))
            sheet = await waiting(actor)
            QTest.mouseClick(sheet.cancel, Qt.MouseButton.LeftButton)
            assert await connecting is None
            await actor.until(lambda: bool(stage.wire.sent("DELETE", "/connections/attempts/")))
            browser.allow()
            await actor.until(lambda: bool(browser.shown))
            assert "Cancelled in Kalends" in browser.shown
            assert "wasn&#x27;t connected" in browser.shown
            await actor.workspace.refresh()
            assert not actor.workspace.accounts
        browser.close()

    play(journey())
