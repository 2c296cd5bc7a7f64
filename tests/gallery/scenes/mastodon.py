"""Mastodon, where the user names a server: its tile, the sheet that asks, and what can be wrong."""

from app.desktop.connections.server_sheet import ServerSheet
from app.desktop.connections.waiting import WaitingSheet
from app.desktop.setup import SetupPanel
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import wall_clock
from tests.gallery.hands import click
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.scenes.connections import Browser
from tests.gallery.scenes.setup import told
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage
from tests.workspace.model_places import ModelPlaces, keep_places

SCREEN = Screen()


def _studio(*, practice: bool = False) -> tuple[StudioService, ModelPlaces]:
    service = full_studio(practice=practice)
    return service, keep_places(service, servers=True)


async def _connections(stage: Stage, service: StudioService) -> MainController:
    controller = await stage.controller(service, "Okafor Studio")
    controller.window.go("connections")
    await stage.until(lambda: controller.workspace.places.connects("mastodon"))
    await stage.settle()
    return controller


async def _sheet(stage: Stage, service: StudioService) -> tuple[MainController, ServerSheet]:
    controller = await _connections(stage, service)
    controller.connect_platform("mastodon")
    await stage.until(lambda: isinstance(controller.connections.sheet, ServerSheet))
    sheet = controller.connections.sheet
    assert isinstance(sheet, ServerSheet)
    await stage.settle()
    return controller, sheet


@SCREEN.scene("mastodon-tile")
async def tile(stage: Stage) -> None:
    await _connections(stage, _studio()[0])


@SCREEN.scene("mastodon-first")
async def first(stage: Stage) -> None:
    """The first account of all."""
    service = StudioService(wall_clock, attempts={})
    keep_places(service, servers=True)
    await _connections(stage, service)


@SCREEN.scene("mastodon-sheet")
async def sheet(stage: Stage) -> None:
    await _sheet(stage, _studio()[0])


@SCREEN.scene("mastodon-practice")
async def practice(stage: Stage) -> None:
    await _sheet(stage, _studio(practice=True)[0])


@SCREEN.scene("mastodon-no-server")
async def no_server(stage: Stage) -> None:
    service, places = _studio()
    places.refusal = ("server", "not_mastodon")
    _, opened = await _sheet(stage, service)
    opened.line.setText("okafor.studio")
    opened.connect_button.click()
    await stage.until(opened.server.error)
    await stage.settle()


@SCREEN.scene("mastodon-waiting")
async def waiting(stage: Stage) -> None:
    service, places = _studio()
    places.connect_url = "https://mastodon.social/oauth/authorize?client_id=a&response_type=code"
    Browser(stage)
    controller, opened = await _sheet(stage, service)
    opened.line.setText("@okafor@mastodon.social")
    opened.connect_button.click()

    def is_waiting() -> bool:
        shown = controller.connections.sheet
        return isinstance(shown, WaitingSheet) and bool(shown.time_left())

    await stage.until(is_waiting)
    await stage.settle()


@SCREEN.scene("mastodon-setup")
async def setup(stage: Stage) -> None:
    """In the list of platforms, next to those that need an app."""
    service, _ = _studio()
    service.offers = (*service.offers, "platforms")
    service.parts.append(told().answer)
    controller = await _connections(stage, service)
    await stage.until(controller.connections.set_up_button.isVisible)
    click(controller.connections.set_up_button)
    panel = controller.window.side
    assert isinstance(panel, SetupPanel)
    await stage.until(lambda: panel.rows)
    await stage.settle()
