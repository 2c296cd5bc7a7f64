"""Connected accounts, and the sheet that waits for the browser."""

import io
import json
from collections.abc import Sequence
from urllib.parse import urlencode

import httpx
from PIL import Image
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest

from app.desktop.connections.boards import BoardSheet
from app.desktop.connections.tiktok_sheet import TikTokSheet
from app.desktop.connections.waiting import WaitingSheet
from app.desktop.shell.main_controller import MainController
from app.desktop.widgets import Skeleton
from app.language import tr
from app.workspace.clock import wall_clock
from tests.desktop.browsing import SCHEMES, address_of
from tests.gallery.hands import button, click, the
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService, account_id
from tests.gallery.stage import Stage
from tests.gallery.troubles import be_away, refuse_key
from tests.workspace.model_tiktok import CREATOR, ModelTikTok

SCREEN = Screen()


class Browser(QObject):
    """Takes the place of the system's browser while the stage stands; shows nothing."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.opened: list[str] = []
        for scheme in SCHEMES:
            QDesktopServices.setUrlHandler(scheme, self, "open_page")  # type: ignore[arg-type]  # the stubs are wrong

        stage.keep(self._close)  # and with it this object, which Qt doesn't keep

    async def _close(self) -> None:
        for scheme in SCHEMES:
            QDesktopServices.unsetUrlHandler(scheme)

    @Slot(QUrl)
    def open_page(self, url: QUrl) -> None:
        """Called by Qt in place of starting a browser."""
        self.opened.append(address_of(url))


@SCREEN.scene("connections-pictures")
async def pictures(stage: Stage) -> None:
    """Pictures of two accounts; the others keep their initials."""
    service = full_studio()
    for account in service.connections[:2]:
        account["avatar_url"] = "https://cdn.platform.example/face.png"
    written = io.BytesIO()
    Image.linear_gradient("L").resize((96, 96)).convert("RGB").save(written, "PNG")
    service.parts.append(
        lambda request: (
            httpx.Response(200, content=written.getvalue()) if request.url.path == "/face.png" else None
        )
    )
    controller = await stage.controller(service)
    controller.window.go("connections")
    await stage.until(lambda: list((stage.folder).rglob("*.faces/*.jpg")))


@SCREEN.scene("connections-plain", has_mockup=True)
async def full(stage: Stage) -> None:
    await _connections(stage, full_studio())


@SCREEN.scene("connections", has_mockup=True)
async def waiting(stage: Stage) -> None:
    await _wait_for_linkedin(stage, await _connections(stage, full_studio()))


@SCREEN.scene("connections-paste")
async def paste(stage: Stage) -> None:
    sheet = await _wait_for_linkedin(stage, await _connections(stage, full_studio()))
    click(button(tr("Browser shows an error?"), sheet))


@SCREEN.scene("connections-page-error")
async def page_error(stage: Stage) -> None:
    sheet = await _wait_for_linkedin(stage, await _connections(stage, full_studio()))
    click(button(tr("Browser shows an error?"), sheet))
    QTest.keyClicks(sheet.paste.editor, "redirect_uri_mismatch")
    click(button(tr("Continue"), sheet))
    await stage.until(sheet.paste.error)


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
    controller = await _connections(stage, service)
    click(button(tr("Needs attention"), controller.connections))


async def _connections(
    stage: Stage,
    service: StudioService,
    name: str = "Okafor Studio",
    offers: Sequence[str] = ("reconnect", "platforms"),
) -> MainController:
    service.offers = (*service.offers, *offers)
    controller = await stage.controller(service, name)
    controller.window.go("connections")
    await stage.settle()
    return controller


async def _wait_for_linkedin(stage: Stage, controller: MainController) -> WaitingSheet:
    """Chooses LinkedIn from the menu of the primary button."""
    browser = Browser(stage)
    click(controller.connections.connect_button)
    menu = next(menu for menu in stage.menus() if menu.actions())
    next(action for action in menu.actions() if action.text().startswith("LinkedIn")).trigger()
    menu.close()
    await stage.until(lambda: browser.opened)
    sheet = controller.connections.sheet
    if not isinstance(sheet, WaitingSheet):
        raise TypeError("the sheet did not open")
    await stage.settle()
    return sheet


@SCREEN.scene("connections-reconnecting-all")
async def reconnecting_all(stage: Stage) -> None:
    """The first of two that ended, while the browser is open."""
    service = full_studio()
    for one in service.connections:
        if one["platform"] in ("linkedin", "youtube"):
            one |= {"is_available": False, "token_expires_at": one["created_at"]}
    controller = await _connections(stage, service, offers=())
    browser = Browser(stage)
    click(controller.connections.reconnect_all)
    await stage.until(lambda: browser.opened)
    await stage.settle()


@SCREEN.scene("connections-boards")
async def boards(stage: Stage) -> None:
    await _show_boards(stage, "Colour stories", "Knitting", "Studio", "Wool and dye", "Workshops")


@SCREEN.scene("connections-boards-none")
async def no_boards(stage: Stage) -> None:
    await _show_boards(stage)


@SCREEN.scene("connections-offline")
async def offline(stage: Stage) -> None:
    service = full_studio()
    pane = (await _connections(stage, service)).connections
    await be_away(stage, service, pane.strip, pane.refresh_button.click)


async def _show_boards(stage: Stage, *names: str) -> None:
    service = full_studio()
    pinterest = next(one for one in service.connections if one["platform"] == "pinterest")
    for number, name in enumerate(names):
        service.add_board(pinterest["id"], name, privacy="SECRET" if number == 2 else "PUBLIC")
    controller = await _connections(stage, service)
    card = next(one for one in controller.connections.cards() if one.account.platform.value == "pinterest")
    click(card.boards)
    (sheet,) = controller.window.findChildren(BoardSheet)
    await stage.until(sheet.again.isEnabled)


@SCREEN.scene("connections-tiktok")
async def tiktok(stage: Stage) -> None:
    """Who can see posts of a TikTok account that other programs make."""
    service = full_studio()
    own = {"nickname": "Maya Makes", "username": "maya.makes"}
    ModelTikTok(service, creators={account_id("tiktok"): CREATOR | own})
    controller = await _connections(stage, service)
    await stage.until(lambda: controller.workspace.tiktok.offered)
    card = next(one for one in controller.connections.cards() if one.account.platform.value == "tiktok")
    click(card.tiktok)
    (sheet,) = controller.window.findChildren(TikTokSheet)
    await stage.until(lambda: sheet.field.creator is not None and sheet.save.isEnabled())


@SCREEN.scene("connections-loading")
async def loading(stage: Stage) -> None:
    """The first answer of the service is on its way."""
    service = full_studio()
    service.held = {"GET"}
    controller = await stage.controller(service, is_read=False)
    controller.window.go("connections")
    skeleton = the(Skeleton, controller.connections)
    await stage.until(skeleton.is_ripe)


@SCREEN.scene("connections-failed")
async def failed(stage: Stage) -> None:
    """The service could never be reached."""
    service = full_studio()
    service.online = False
    controller = await stage.controller(service, is_read=False)
    controller.window.go("connections")
    await stage.until(controller.connections.failed.isVisible)


@SCREEN.scene("connections-dead-key")
async def dead_key(stage: Stage) -> None:
    """The service no longer takes the key: what is known still shows."""
    service = full_studio()
    pane = (await _connections(stage, service)).connections
    await refuse_key(stage, service, pane.strip, pane.refresh_button.click)


@SCREEN.scene("connections-read-only")
async def read_only(stage: Stage) -> None:
    """The key may only read, and the service has no companion."""
    service = full_studio()
    controller = await _connections(stage, service, offers=())
    service.forbidden = {"POST"}
    card = next(one for one in controller.connections.cards() if not one.account.is_available)
    card.connect_again.emit(card.account.key)
    await stage.until(lambda: _said(controller))


def _said(controller: MainController) -> bool:
    """Whether the sheet, or a message, says what went wrong."""
    sheet = controller.connections.sheet
    return bool(controller.window.messages.texts() or (isinstance(sheet, WaitingSheet) and sheet.problem()))
