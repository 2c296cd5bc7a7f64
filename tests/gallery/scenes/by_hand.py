"""Posts that the user publishes by hand: the card, its sheet, the calendar, a post's panel, the settings."""

from datetime import datetime

from PySide6.QtCore import QPoint

from app.contract.enums import PostingPlatform, PostType
from app.desktop.connections.by_hand import ByHandSheet
from app.desktop.finishing.card import FinishingCard
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import wall_clock
from app.workspace.posts.new import NewPost
from tests.gallery.samples import LONG_TEXT, ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService, account_id, at
from tests.gallery.shelf import with_files
from tests.gallery.stage import Stage
from tests.workspace.model_by_hand import OFFER
from tests.workspace.model_places import ModelPlaces, keep_places

SCREEN = Screen()
_X = "x-by-hand"
_MINUTE = 60_000
_TEXT = "The long wool coat is back, in three colours. https://okafor.studio/coat #wool"


def _studio(*posts: tuple[str, str], status: str = "processing") -> tuple[StudioService, ModelPlaces]:
    """A studio with an account on X and posts, each a text and its kind, that were due just now."""
    service = full_studio()
    places = keep_places(service)
    service.connect(_X, "Okafor Studio", "okaforstudio", datetime(2026, 10, 2, tzinfo=ZONE))
    places.connections.append(service.connections.pop())
    now = wall_clock() // _MINUTE * _MINUTE
    for place, (text, kind) in enumerate(posts):
        due = now - (len(posts) - place) * 5 * _MINUTE
        key = service.plan(due, _X, text, kind=kind, status=status)
        if kind == "image":
            with_files(service)
        places.posts[key] = service.posts.pop(key)
    return service, places


async def _calendar(stage: Stage, service: StudioService) -> MainController:
    controller = await stage.controller(service)
    controller.window.go("calendar")
    await stage.until(controller.workspace.finishing.waiting)
    await stage.settle()
    return controller


async def _card(stage: Stage, *posts: tuple[str, str]) -> FinishingCard:
    service, _ = _studio(*posts)
    controller = await _calendar(stage, service)
    await controller.workspace.media.library.refresh()
    card = controller.finishing.open()
    await stage.until(card.content.text.toPlainText)
    if any(kind == "image" for _, kind in posts):
        await stage.until(lambda: card.content.tile.file is not None)
    await stage.settle()
    window = controller.window
    corner = QPoint(window.width() - card.width() - 40, window.height() - card.height() - 60)
    card.move(window.mapToGlobal(corner))  # it grows upwards
    return card


@SCREEN.scene("by-hand-card")
async def one(stage: Stage) -> None:
    await _card(stage, (_TEXT, "text"))


@SCREEN.scene("by-hand-card-file")
async def with_file(stage: Stage) -> None:
    await _card(stage, (_TEXT, "image"))


@SCREEN.scene("by-hand-card-several")
async def several(stage: Stage) -> None:
    await _card(stage, (_TEXT, "image"), ("Orders open at nine. #wool", "text"), (LONG_TEXT, "text"))


@SCREEN.scene("by-hand-card-long")
async def long_text(stage: Stage) -> None:
    await _card(stage, (LONG_TEXT * 3, "text"))


@SCREEN.scene("by-hand-card-qr")
async def qr_code(stage: Stage) -> None:
    await _with_code(stage, _TEXT, "image")


@SCREEN.scene("by-hand-card-qr-long")
async def long_qr_code(stage: Stage) -> None:
    await _with_code(stage, LONG_TEXT * 3, "text")


async def _with_code(stage: Stage, text: str, kind: str) -> None:
    card = await _card(stage, (text, kind))
    card.content.qr_code.button.click()
    await stage.until(card.content.qr_code.isVisible)
    await stage.settle()


@SCREEN.scene("by-hand-card-done")
async def done(stage: Stage) -> None:
    """The last post is published, which can be undone for a few seconds."""
    card = await _card(stage, (_TEXT, "text"))
    card.done_button.click()
    await stage.until(lambda: card.strip is not None)
    await stage.settle()


@SCREEN.scene("by-hand-card-wrong-address")
async def wrong_address(stage: Stage) -> None:
    card = await _card(stage, (_TEXT, "text"))
    card.address.setText("x.com/okaforstudio")
    card.done_button.click()
    await stage.until(card.field.error)
    await stage.settle()


@SCREEN.scene("by-hand-card-other-time")
async def other_time(stage: Stage) -> None:
    card = await _card(stage, (_TEXT, "text"))
    card.later_menu().actions()[-1].trigger()
    await stage.settle()


@SCREEN.scene("by-hand-calendar")
async def calendar(stage: Stage) -> None:
    await _calendar(stage, _studio((_TEXT, "text"), ("Orders open at nine. #wool", "text"))[0])


@SCREEN.scene("by-hand-inspector")
async def inspector(stage: Stage) -> None:
    controller = await _calendar(stage, _studio((_TEXT, "text"))[0])
    controller.panels.inspect(controller.workspace.finishing.waiting()[0].key)
    await stage.settle()


@SCREEN.scene("by-hand-planned")
async def planned(stage: Stage) -> None:
    """A post of a connected account that will be published by hand."""
    service = full_studio()
    service.offers = (*service.offers, OFFER, "finishing")
    controller = await stage.controller(service)
    controller.window.go("calendar")
    workspace = controller.workspace
    await stage.until(lambda: workspace.finishing.takes_single_posts)
    tomorrow = at(2, "14:00", ZONE)
    post = NewPost(account_id("x"), PostingPlatform.X, PostType.TEXT, _TEXT, at=tomorrow, by_hand=True)
    (key,) = workspace.plan([post])
    await stage.until(lambda: workspace.sync.waiting == 0 and not workspace.sync.saving)
    controller.panels.inspect(key)
    await stage.settle()


@SCREEN.scene("by-hand-sheet")
async def sheet(stage: Stage) -> None:
    service = full_studio()
    keep_places(service)
    controller = await stage.controller(service)
    controller.window.go("connections")
    await stage.until(lambda: controller.workspace.places.offered)
    controller.connect_platform(_X)
    await stage.until(lambda: isinstance(controller.connections.sheet, ByHandSheet))
    await stage.settle()


@SCREEN.scene("by-hand-connected")
async def connected(stage: Stage) -> None:
    service, _ = _studio()
    controller = await stage.controller(service)
    controller.window.go("connections")
    await stage.until(lambda: account_id(_X) in controller.workspace.accounts)
    await stage.settle()
