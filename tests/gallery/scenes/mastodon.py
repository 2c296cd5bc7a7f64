"""Mastodon, where the user names a server: its tile, the sheet that asks, and what can be wrong."""

from dataclasses import replace

from app.desktop.composer import ComposerPanel
from app.desktop.connections.server_sheet import ServerSheet
from app.desktop.connections.waiting import WaitingSheet
from app.desktop.inspector import Inspector
from app.desktop.setup import SetupPanel
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from app.workspace.editing.options import PostOptions
from tests.gallery.hands import click
from tests.gallery.samples import ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.scenes.connections import Browser
from tests.gallery.scenes.setup import told
from tests.gallery.service import StudioService, at
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


_WOOL = "The long wool coat is back: same pattern, heavier cloth. Orders open on Thursday.\n\n#wool"
_OPTIONS = {"content_warning": "Moths, and a very large spider", "visibility": "unlisted", "language": "de"}


async def _compose(
    stage: Stage, text: str, options: PostOptions, *, text_max: int = 500, has_two: bool = False
) -> ComposerPanel:
    service, places = _studio()
    keys = [places.add_account("mastodon") for _ in range(2 if has_two else 1)]
    accounts = ("Okafor Studio", "okafor"), ("Okafor Wool", "wool")
    for key, (name, user) in zip(keys, accounts, strict=False):
        (known,) = [one for one in places.connections if one["id"] == key]
        known |= {"display_name": name, "username": f"{user}@mastodon.social"}
        places.limits[key] = {"text_max": text_max}
    controller = await stage.controller(service, "Okafor Studio")
    await stage.until(lambda: all(controller.workspace.accounts[key].limits for key in keys))
    draft = ComposerDraft(text, tuple(keys), at=at(4, "09:30", ZONE), zone=ZONE.key)
    controller.workspace.save_composer(replace(draft, options={keys[0]: options}))
    controller.window.go("calendar")
    panel = controller.panels.compose(None)
    await stage.until(lambda: not panel.text_box.editor.isReadOnly())
    await stage.settle()
    return panel


@SCREEN.scene("mastodon-composer")
async def composer(stage: Stage) -> None:
    """Nothing is chosen: the account's own settings apply."""
    await _compose(stage, _WOOL, PostOptions())


@SCREEN.scene("mastodon-composer-options")
async def composer_options(stage: Stage) -> None:
    await _compose(stage, _WOOL, PostOptions(**_OPTIONS))


@SCREEN.scene("mastodon-composer-too-long")
async def composer_too_long(stage: Stage) -> None:
    """On a server that takes 100 characters, of which the content warning takes some."""
    await _compose(stage, _WOOL, PostOptions(**_OPTIONS), text_max=100)


@SCREEN.scene("mastodon-composer-two")
async def composer_two(stage: Stage) -> None:
    """Two accounts, each with fields of its own."""
    await _compose(stage, _WOOL, PostOptions(**_OPTIONS), has_two=True)


@SCREEN.scene("mastodon-inspector")
async def inspector(stage: Stage) -> None:
    service, places = _studio()
    key = places.add_account("mastodon")
    places.connections[-1] |= {"display_name": "Okafor Studio", "username": "okafor@mastodon.social"}
    body = {"social_account_id": key, "platform": "mastodon", "description": _WOOL, "options": _OPTIONS}
    places._store(body, at(4, "09:30", ZONE), "scheduled")
    controller = await _connections(stage, service)
    controller.window.go("calendar")
    posts = controller.workspace.posts
    await stage.until(lambda: any(post.account_key == key for post in posts.all()))
    controller.panels.inspect(next(post.key for post in posts.all() if post.account_key == key))
    panel = controller.window.side
    assert isinstance(panel, Inspector)
    await stage.until(panel.preview.isVisible)
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
