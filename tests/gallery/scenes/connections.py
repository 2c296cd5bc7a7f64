"""Connected accounts, and the sheet that waits for the browser."""

import json
from urllib.parse import urlencode

import httpx
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices

from app.desktop.connections.waiting import WaitingSheet
from app.desktop.shell.house import House
from app.workspace.clock import wall_clock
from tests.gallery.hands import button, click
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage

SCREEN = Screen()


class Browser(QObject):
    """Takes the place of the system's browser while the stage stands; shows nothing."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.opened: list[str] = []
        QDesktopServices.setUrlHandler("https", self, "open_page")  # type: ignore[arg-type]  # the stubs are wrong

        async def close() -> None:
            QDesktopServices.unsetUrlHandler("https")

        stage.keep(close)

    @Slot(QUrl)
    def open_page(self, url: QUrl) -> None:
        """Called by Qt in place of starting a browser."""
        self.opened.append(url.toString())


@SCREEN.scene("connections-plain", has_mockup=True)
async def full(stage: Stage) -> None:
    await _connections(stage, full_studio())


@SCREEN.scene("connections", has_mockup=True)
async def waiting(stage: Stage) -> None:
    await _wait_for_linkedin(stage, await _connections(stage, full_studio()))


@SCREEN.scene("connections-paste")
async def paste(stage: Stage) -> None:
    sheet = await _wait_for_linkedin(stage, await _connections(stage, full_studio()))
    click(button("Paste the address", sheet))


@SCREEN.scene("connections-denied")
async def denied(stage: Stage) -> None:
    service = full_studio()
    sheet = await _wait_for_linkedin(stage, await _connections(stage, service))
    asked = [request for request in service.requests if request.url.path.endswith("/initiate")]
    landing = json.loads(asked[-1].content)["redirect_url"]
    async with httpx.AsyncClient(trust_env=False) as browser:
        await browser.get(f"{landing}?{urlencode({'status': 'denied'})}")
    await stage.until(sheet.problem)


@SCREEN.scene("connections-practice")
async def practice(stage: Stage) -> None:
    await _connections(stage, full_studio(practice=True), "Practice calendar")


@SCREEN.scene("connections-empty")
async def empty(stage: Stage) -> None:
    await _connections(stage, StudioService(wall_clock, attempts={}))


@SCREEN.scene("connections-to-reconnect")
async def to_reconnect(stage: Stage) -> None:
    """Two have ended; one of them can be connected again from here."""
    service = full_studio()
    linkedin = next(one for one in service.connections if one["platform"] == "linkedin")
    linkedin |= {"is_available": False, "token_expires_at": linkedin["created_at"]}
    house = await _connections(stage, service)
    click(button("To reconnect", house.connections))


async def _connections(stage: Stage, service: StudioService, name: str = "Okafor Studio") -> House:
    house = await stage.house(service, name)
    house.window.go("connections")
    await stage.settle()
    return house


async def _wait_for_linkedin(stage: Stage, house: House) -> WaitingSheet:
    """Chooses LinkedIn from the menu of the primary button."""
    browser = Browser(stage)
    click(house.connections.connect_button)
    menu = next(menu for menu in stage.menus() if menu.actions())
    next(action for action in menu.actions() if action.text().startswith("LinkedIn")).trigger()
    menu.close()
    await stage.until(lambda: browser.opened)
    sheet = house.connections.sheet
    if not isinstance(sheet, WaitingSheet):
        raise TypeError("the sheet did not open")
    await stage.settle()
    return sheet
