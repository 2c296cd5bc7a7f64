"""Bluesky, which needs no developer app: its tile, its sheet, the composer and a post's panel."""

from datetime import UTC, datetime, timedelta
from typing import Any

from app.contract.base import format_timestamp
from app.desktop.connections.app_password import AppPasswordSheet
from app.desktop.connections.server_sheet import ServerSheet
from app.desktop.inspector import Inspector
from app.desktop.settings.rows import ConfirmSheet
from app.desktop.setup import SetupPanel
from app.desktop.shell.main_controller import MainController
from app.desktop.widgets import LineEdit
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from tests.gallery.hands import click
from tests.gallery.samples import LONG_TEXT, ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.scenes.setup import told
from tests.gallery.service import StudioService, account_id, at
from tests.gallery.shelf import with_files
from tests.gallery.stage import Stage
from tests.workspace.model_places import ModelPlaces, keep_places

SCREEN = Screen()
_TEXT = "Orders open at nine, @robin.bsky.social. https://okafor.studio/coat #wool"


def _studio(*, practice: bool = False) -> tuple[StudioService, ModelPlaces]:
    service = full_studio(practice=practice)
    return service, keep_places(service, handles=True)


def _with_account(service: StudioService, places: ModelPlaces) -> str:
    service.connect(
        "bluesky", "Okafor Studio", "okafor.studio", datetime(2026, 10, 2, tzinfo=ZONE), followers=1_204
    )
    places.connections.append(service.connections.pop())
    return account_id("bluesky")


async def _connections(stage: Stage, service: StudioService) -> MainController:
    controller = await stage.controller(service, "Okafor Studio")
    controller.window.go("connections")
    await stage.until(lambda: controller.workspace.places.offered)
    await stage.settle()
    return controller


async def _asking(stage: Stage, service: StudioService) -> tuple[MainController, ServerSheet]:
    controller = await _connections(stage, service)
    controller.connect_platform("bluesky")
    await stage.until(lambda: isinstance(controller.connections.sheet, ServerSheet))
    sheet = controller.connections.sheet
    assert isinstance(sheet, ServerSheet)
    await stage.settle()
    return controller, sheet


async def _sheet(stage: Stage, service: StudioService) -> AppPasswordSheet:
    controller, first = await _asking(stage, service)
    first.link.click()
    await stage.until(lambda: isinstance(controller.connections.sheet, AppPasswordSheet))
    sheet = controller.connections.sheet
    assert isinstance(sheet, AppPasswordSheet)
    await stage.settle()
    return sheet


def _fill(sheet: AppPasswordSheet, handle: str, password: str) -> None:
    for field, text in ((sheet.handle, handle), (sheet.password, password)):
        assert isinstance(field.editor, LineEdit)
        field.editor.setText(text)
    sheet.connect_button.click()


@SCREEN.scene("bluesky-tile")
async def tile(stage: Stage) -> None:
    service, _ = _studio()
    await _connections(stage, service)


@SCREEN.scene("bluesky-first")
async def first(stage: Stage) -> None:
    """The first account of all."""
    service = StudioService(wall_clock, attempts={})
    keep_places(service, handles=True)
    await _connections(stage, service)


@SCREEN.scene("bluesky-handle")
async def handle(stage: Stage) -> None:
    await _asking(stage, _studio()[0])


@SCREEN.scene("bluesky-handle-practice")
async def handle_practice(stage: Stage) -> None:
    await _asking(stage, _studio(practice=True)[0])


@SCREEN.scene("bluesky-handle-unknown")
async def handle_unknown(stage: Stage) -> None:
    service, places = _studio()
    places.refusal = ("server", "unknown_handle")
    _, asked = await _asking(stage, service)
    asked.line.setText("okafor.studio")
    asked.connect_button.click()
    await stage.until(asked.server.error)
    await stage.settle()


@SCREEN.scene("bluesky-sign-in-by")
async def sign_in_by(stage: Stage) -> None:
    """An account that was allowed in the browser, and has to be allowed again soon."""
    service, places = _studio()
    account = _with_account(service, places)
    places.connections[0]["sign_in_by"] = format_timestamp(datetime.now(UTC) + timedelta(days=2))
    places.add_bluesky_post(account, at(2, "09:00", ZONE), _TEXT)
    controller = await _connections(stage, service)
    await stage.until(lambda: account in controller.workspace.accounts)
    await stage.settle()


@SCREEN.scene("bluesky-sheet")
async def sheet(stage: Stage) -> None:
    await _sheet(stage, _studio()[0])


@SCREEN.scene("bluesky-practice")
async def practice(stage: Stage) -> None:
    await _sheet(stage, _studio(practice=True)[0])


async def _refused(stage: Stage, refusal: tuple[str, str], **more: Any) -> None:
    service, places = _studio()
    places.refusal = refusal
    places.status = more.get("status", 400)
    opened = await _sheet(stage, service)
    _fill(opened, "okafor.studio", "abcd-efgh-2345-6789")
    await stage.until(opened.problem)
    await stage.settle()


@SCREEN.scene("bluesky-unknown-handle")
async def unknown_handle(stage: Stage) -> None:
    await _refused(stage, ("handle", "unknown_handle"))


@SCREEN.scene("bluesky-wrong-password")
async def wrong_password(stage: Stage) -> None:
    await _refused(stage, ("app_password", "wrong_app_password"))


@SCREEN.scene("bluesky-own-password")
async def own_password(stage: Stage) -> None:
    await _refused(stage, ("app_password", "not_an_app_password"))


@SCREEN.scene("bluesky-unreachable")
async def unreachable(stage: Stage) -> None:
    await _refused(stage, ("", ""), status=500)


@SCREEN.scene("bluesky-disconnect")
async def disconnect(stage: Stage) -> None:
    """Asked before an account with a scheduled post is disconnected."""
    service, places = _studio()
    account = _with_account(service, places)
    places.add_bluesky_post(account, at(2, "09:00", ZONE), _TEXT)
    controller = await _connections(stage, service)
    await stage.until(lambda: account in controller.workspace.accounts)
    card = next(one for one in controller.connections.cards() if one.account.key == account)
    card.disconnect_wanted.emit(account)
    await stage.until(lambda: controller.window.findChildren(ConfirmSheet))
    await stage.settle()


@SCREEN.scene("bluesky-disconnected")
async def disconnected(stage: Stage) -> None:
    service, places = _studio()
    account = _with_account(service, places)
    places.connections[0]["is_available"] = False
    places.add_bluesky_post(account, at(2, "09:00", ZONE), _TEXT)
    controller = await _connections(stage, service)
    await stage.until(lambda: account in controller.workspace.accounts)
    await stage.settle()


@SCREEN.scene("bluesky-setup")
async def setup(stage: Stage) -> None:
    """First among the platforms to set up."""
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


async def _compose(stage: Stage, text: str) -> None:
    service, places = _studio()
    account = _with_account(service, places)
    controller = await stage.controller(service)
    controller.window.go("calendar")
    await stage.until(lambda: account in controller.workspace.accounts)
    accounts = (account, account_id("linkedin"))
    draft = ComposerDraft(text, accounts, at=at(4, "09:30", ZONE), zone=ZONE.key)
    controller.workspace.save_composer(draft)
    panel = controller.panels.compose(None)
    await stage.until(lambda: not panel.text_box.editor.isReadOnly())
    await stage.settle()


@SCREEN.scene("bluesky-composer")
async def composer(stage: Stage) -> None:
    await _compose(stage, _TEXT)


@SCREEN.scene("bluesky-composer-too-long")
async def too_long(stage: Stage) -> None:
    await _compose(stage, LONG_TEXT)


@SCREEN.scene("bluesky-inspector")
async def inspector(stage: Stage) -> None:
    await _inspect(stage, "image")


@SCREEN.scene("bluesky-video")
async def film(stage: Stage) -> None:
    await _inspect(stage, "video")


async def _inspect(stage: Stage, kind: str) -> None:
    """A post with a file, as Bluesky will show it."""
    service, places = _studio()
    _with_account(service, places)
    post = service.plan(at(4, "16:00", ZONE), "bluesky", _TEXT, kind=kind)
    with_files(service)
    places.posts[post] = service.posts.pop(post)
    controller = await stage.controller(service)
    controller.window.go("calendar")
    await stage.until(lambda: account_id("bluesky") in controller.workspace.accounts)
    await controller.workspace.media.library.refresh()
    controller.panels.inspect(str(post))
    panel = controller.window.side
    assert isinstance(panel, Inspector)
    await stage.until(lambda: panel.preview.cover.has_picture)
    await stage.settle()
