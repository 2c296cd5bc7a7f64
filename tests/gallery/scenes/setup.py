"""Setting up platforms: all of them, one of them, and what its test found, in the service's own words."""

import httpx
from PySide6.QtWidgets import QScrollArea

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.desktop.setup import SetupPanel
from app.language import tr
from app.platforms.base import AppCredentials
from app.service.connections.apps import Addresses
from app.service.connections.platforms import Platforms
from app.service.connections.set_up import SetUps
from tests.desktop.setup import model
from tests.gallery.hands import button, click
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.stage import Stage

SCREEN = Screen()
_ADDRESSES = Addresses("http://127.0.0.1:17217")
_UNREACHABLE = {PostingPlatform.TIKTOK: {PostType.IMAGE}}


def told(*, practice: bool = False) -> model.SetUps:
    """How the service tells of its platforms; the app for X is set."""
    apps = {ConnectionPlatform.X: AppCredentials("app")}
    platforms = Platforms(
        {}, dict.fromkeys(ConnectionPlatform, apps[ConnectionPlatform.X]) if practice else apps
    )
    set_ups = SetUps(platforms, _ADDRESSES, {}, practice=practice, unreachable=_UNREACHABLE)
    changeable = {"changeable": not practice}
    return model.SetUps(*(one.model_dump(mode="json") | changeable for one in set_ups.all()))


@SCREEN.scene("setup")
async def every_platform(stage: Stage) -> None:
    await _panel(stage, told())


@SCREEN.scene("setup-tiktok")
async def one_platform(stage: Stage) -> None:
    (await _panel(stage, told())).open("tiktok")


@SCREEN.scene("setup-youtube")
async def several_pages(stage: Stage) -> None:
    """Steps on several of Google's pages."""
    (await _panel(stage, told())).open("youtube")


@SCREEN.scene("setup-facebook")
async def long_steps(stage: Stage) -> None:
    (await _panel(stage, told())).open("facebook")


@SCREEN.scene("setup-tested")
async def tested(stage: Stage) -> None:
    panel = await _panel(stage, told())
    panel.open("x")
    click(button(tr("Test"), panel))
    page = panel.page
    await stage.until(lambda: page is not None and page.checks())
    bar = panel.findChildren(QScrollArea)[0].verticalScrollBar()
    await stage.settle()
    bar.setValue(bar.maximum())


@SCREEN.scene("setup-incomplete")
async def incomplete(stage: Stage) -> None:
    panel = await _panel(stage, told())
    panel.open("instagram")
    assert panel.page is not None
    panel.page.steps.open(2)
    click(button(tr("Save and test"), panel))


@SCREEN.scene("setup-practice")
async def practice(stage: Stage) -> None:
    (await _panel(stage, told(practice=True), practice=True)).open("linkedin")


@SCREEN.scene("setup-refused")
async def refused(stage: Stage) -> None:
    words = {"code": "forbidden", "message": "Only the owner of this service may see how it is set up."}
    answers = told()
    answers.refusal = httpx.Response(403, json={"error": words, "request_id": "req_01hx7n9q2m"})
    await _panel(stage, answers, waits=False)


async def _panel(
    stage: Stage, told: model.SetUps, *, practice: bool = False, waits: bool = True
) -> SetupPanel:
    service = full_studio(practice=practice)
    service.offers = (*service.offers, "platforms")
    service.parts.append(told.answer)
    controller = await stage.controller(service, "Okafor Studio")
    controller.window.go("connections")
    await stage.until(controller.connections.set_up_button.isVisible)
    click(controller.connections.set_up_button)
    panel = controller.window.side
    if not isinstance(panel, SetupPanel):
        raise TypeError("the panel did not open")
    await stage.until(lambda: panel.rows if waits else panel.failed.isVisible())
    return panel
