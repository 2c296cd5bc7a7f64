"""Setting up platforms: all of them, one of them, and what its test found, in the service's own words."""

import httpx
from PySide6.QtWidgets import QScrollArea

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.contract.packs import PackSummary
from app.desktop.setup import SetupPanel
from app.desktop.setup.make_pack import MakePackPage, made_words
from app.desktop.setup.use_pack import UsePackPage
from app.language import tr
from app.platforms.base import AppCredentials
from app.platforms.cards import name_of
from app.service.connections.apps import Addresses
from app.service.connections.platforms import Platforms
from app.service.connections.set_up import SetUps
from app.workspace.connections.packs import OpenedPack
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


@SCREEN.scene("setup-tiktok-keys")
async def without_direct_post(stage: Stage) -> None:
    """The keys of an app that TikTok refused Direct Post."""
    panel = await _panel(stage, told())
    panel.open("tiktok")
    page = panel.page
    if page is None or page.keys is None:
        raise TypeError("the page did not open")
    page.steps.open(2)
    page.keys.inbox_only.setChecked(True)


@SCREEN.scene("setup-app-removal")
async def before_an_app_is_removed(stage: Stage) -> None:
    panel = await _panel(stage, told())
    panel.open("x")
    page = panel.page
    if page is None or page.keys is None:
        raise TypeError("the page did not open")
    page.keys.forgotten.emit()


@SCREEN.scene("setup-youtube")
async def several_pages(stage: Stage) -> None:
    """Steps on several of Google's pages."""
    (await _panel(stage, told())).open("youtube")


@SCREEN.scene("setup-facebook")
async def long_steps(stage: Stage) -> None:
    (await _panel(stage, told())).open("facebook")


@SCREEN.scene("setup-tested")
async def tested(stage: Stage) -> None:
    """The checks start when the page opens."""
    panel = await _panel(stage, told())
    panel.open("x")
    page = panel.page
    await stage.until(lambda: page is not None and page.checks())
    bar = panel.findChildren(QScrollArea)[0].verticalScrollBar()
    await stage.settle()
    bar.setValue(bar.maximum())


@SCREEN.scene("setup-refused-post")
async def a_refused_post(stage: Stage) -> None:
    """The step with the account needs a look: the platform's answer and the next click."""
    answers = told()
    said = (
        "X refused your last post. The app that Kalends uses has no credits left on X. "
        "Buy credits there, then schedule the post again."
    )
    permissions = "X granted every permission that publishing needs."
    link = "https://console.x.com"
    answers.rejects_the_app = False
    answers.account_checks = [
        {"name": "permissions", "outcome": "passed", "message": permissions, "step": "account"},
        {"name": "post", "outcome": "failed", "message": said, "step": "account", "link": link},
    ]
    panel = await _panel(stage, answers)
    panel.open("x")
    page = panel.page
    await stage.until(lambda: page is not None and page.checks())
    assert page is not None
    page.steps.open(3)


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


def _packed(platform: ConnectionPlatform, **changed: object) -> dict[str, object]:
    scopes = {"linkedin": ["openid", "profile", "w_member_social"], "x": ["tweet.read", "tweet.write"]}
    return {
        "platform": platform.value,
        "name": name_of(platform),
        "client_id": "app-7",
        "scopes": scopes[platform.value],
        "redirect_uri": f"http://127.0.0.1:17217/callback/{platform.value}",
        "returns": True,
        "has_secret": True,
        "secret_needed": platform is not ConnectionPlatform.X,
        "replaces": False,
        "changeable": True,
        **changed,
    }


def _pack(standing: str, note: str = "") -> OpenedPack:
    linkedin = _packed(
        ConnectionPlatform.LINKEDIN, returns=False, redirect_uri="https://okafor.studio/kalends"
    )
    summary = {
        "maker": "Okafor Studio",
        "note": note,
        "made_at": "2026-11-20T12:00:00Z",
        "fingerprint": "9f3c 11d0 75ae b2c4 08e6",
        "standing": standing,
        "passphrase_needed": True,
        "apps": [linkedin, _packed(ConnectionPlatform.X, has_secret=False, replaces=True)],
    }
    return OpenedPack("kalends-pack 1", PackSummary.model_validate(summary))


@SCREEN.scene("setup-packs-row")
async def the_row_of_packs(stage: Stage) -> None:
    """The end of the list, after a file that isn't a pack."""
    panel = await _panel(stage, told())
    panel.packs.failed.emit(tr("This pack was changed after it was signed. Ask its maker for a new copy."))
    await stage.settle()
    bar = panel.findChildren(QScrollArea)[0].verticalScrollBar()
    bar.setValue(bar.maximum())


@SCREEN.scene("setup-pack")
async def a_pack(stage: Stage) -> None:
    panel = await _panel(stage, told())
    panel.packs.shown.emit(UsePackPage(_pack("new", "For the spring season. Ask Ada if something's wrong.")))


@SCREEN.scene("setup-pack-refused")
async def a_refused_pack(stage: Stage) -> None:
    """Signed with another key, and a wrong passphrase."""
    panel = await _panel(stage, told())
    page = UsePackPage(_pack("changed"))
    panel.packs.shown.emit(page)
    page.line.setText("eight brown sheep")
    page.refuse(tr("That isn't the passphrase of this pack. Nothing was set up."), "wrong_passphrase")
    await stage.settle()
    bar = panel.findChildren(QScrollArea)[0].verticalScrollBar()
    bar.setValue(bar.maximum())


@SCREEN.scene("setup-pack-made")
async def a_made_pack(stage: Stage) -> None:
    panel = await _panel(stage, told())
    panel.packs.begin_making([one for one in panel.setups if one.credentials])
    page = panel.pack_page
    assert isinstance(page, MakePackPage)
    page.line.setText("seven brown sheep")
    page.show_made(made_words("Okafor Studio.kalends-pack", "9f3c 11d0 75ae b2c4 08e6"))


async def _panel(
    stage: Stage, told: model.SetUps, *, practice: bool = False, waits: bool = True
) -> SetupPanel:
    service = full_studio(practice=practice)
    service.offers = (*service.offers, "platforms", "packs")
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
