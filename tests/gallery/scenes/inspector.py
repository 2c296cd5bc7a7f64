"""A post's panel, open next to the calendar."""

from datetime import datetime
from uuid import UUID

from app.desktop.inspector import Inspector
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import wall_clock
from tests.gallery.hands import click
from tests.gallery.samples import LONG_TEXT, ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService, at
from tests.gallery.shelf import with_files
from tests.gallery.stage import Stage
from tests.workspace.model_places import keep_places
from tests.workspace.model_tiktok import ModelTikTok

SCREEN = Screen()
_MINUTE = 60_000


@SCREEN.scene("inspector-scheduled")
async def scheduled(stage: Stage) -> None:
    service = full_studio()
    await _inspect(stage, service, service.plan(at(4, "16:00", ZONE), "linkedin", LONG_TEXT))


@SCREEN.scene("inspector-published")
async def published(stage: Stage) -> None:
    service = full_studio()
    post = service.plan(at(-5, "16:00", ZONE), "x", "Orders open at nine. #wool")
    service.publish(post, "https://x.com/woolandword/status/1859000000000000000")
    await _inspect(stage, service, post)


@SCREEN.scene("inspector-cancelled")
async def cancelled(stage: Stage) -> None:
    service = full_studio()
    post = service.plan(at(4, "16:00", ZONE), "x", "Orders open at nine. #wool", status="cancelled")
    await _inspect(stage, service, post)


@SCREEN.scene("inspector-failed")
async def failed(stage: Stage) -> None:
    service = full_studio()
    post = service.plan(at(-5, "16:00", ZONE), "linkedin", LONG_TEXT, status="failed")
    service.fail(
        post,
        "Not enough permissions to access: ugcPosts.CREATE.20240401",
        code="ACCESS_DENIED",
        advice="LinkedIn doesn't let this account publish this. "
        "Check the account's role and permissions, then schedule the post again.",
    )
    await _inspect(stage, service, post)


@SCREEN.scene("inspector-may-be-live")
async def may_be_live(stage: Stage) -> None:
    service = full_studio()
    service.offers = (*service.offers, "outcomes")
    post = service.plan(at(-5, "16:00", ZONE), "x", "Orders open at nine. #wool", status="failed")
    service.fail(
        post,
        "",
        advice="X's answer was lost, and Kalends couldn't find out whether the post is live. "
        "Check the account on X, and schedule the post again only if it isn't there.",
        unknown=True,
    )
    await _inspect(stage, service, post)


def _of(
    platform: str,
    text: str = LONG_TEXT,
    *,
    kind: str = "image",
    title: str = "",
    has_mockup: bool = False,
) -> None:
    """A post with a file, as its platform will show it."""

    @SCREEN.scene(f"inspector-{platform}", has_mockup=has_mockup)
    async def of_platform(stage: Stage) -> None:
        studio = full_studio()
        post = studio.plan(at(4, "16:00", ZONE), platform, text, kind=kind, title=title)
        await _inspect(stage, with_files(studio), post, has_file=True)


_of("linkedin", has_mockup=True)
_of("x", "Orders open at nine, @okaforstudio. #wool https://okafor.studio")
_of("instagram")
_of("facebook")
_of("pinterest", "A coat for the next ten winters.", title="The long wool coat")
_of("tiktok", "Hem in a minute #sewing", kind="video")
_of("youtube", kind="video", title="Fitting room: the long coat")


@SCREEN.scene("inspector-threads")
async def threads(stage: Stage) -> None:
    """Posts to Threads are only published by hand."""
    service = full_studio()
    places, platform = keep_places(service), "threads-by-hand"
    service.connect(platform, "Maya Okafor", "maya.okafor", datetime(2026, 10, 2, tzinfo=ZONE))
    places.connections.append(service.connections.pop())
    post = service.plan(at(4, "16:00", ZONE), platform, "Orders open at nine. #wool", kind="image")
    with_files(service)
    places.posts[post] = service.posts.pop(post)
    await _inspect(stage, service, post, has_file=True)


@SCREEN.scene("inspector-together")
async def together(stage: Stage) -> None:
    """One idea on several accounts, about to be moved."""
    service = full_studio()
    keys = [
        service.plan(at(4, "16:00", ZONE), platform, "Orders open at nine. #wool")
        for platform in ("linkedin", "x", "facebook")
    ]
    panel = await _inspect(stage, service, keys[0])
    click(panel.together.move_button)
    await stage.settle()


@SCREEN.scene("inspector-publishing")
async def publishing(stage: Stage) -> None:
    service = full_studio()
    post = service.plan(at(0, "00:01", ZONE), "linkedin", LONG_TEXT, status="processing")
    await _inspect(stage, service, post)


@SCREEN.scene("inspector-practice")
async def practice(stage: Stage) -> None:
    service = full_studio(practice=True)
    await _inspect(stage, service, service.plan(at(4, "16:00", ZONE), "x", "Orders open at nine. #wool"))


@SCREEN.scene("inspector-offline")
async def offline(stage: Stage) -> None:
    """A post that was moved while the service is away."""
    service = full_studio()
    post = service.plan(at(4, "16:00", ZONE), "linkedin", LONG_TEXT)
    controller = await stage.controller(service)
    service.online = False
    controller.workspace.move({str(post): at(5, "16:00", ZONE)})
    await stage.until(lambda: not controller.workspace.sync.connected)
    await _open(stage, controller, post)


@SCREEN.scene("inspector-inbox")
async def in_inbox(stage: Stage) -> None:
    """A video in the user's TikTok inbox, with its text as a QR code."""
    service = with_files(full_studio())
    tiktok = ModelTikTok(service)
    sent = wall_clock() - 5 * _MINUTE
    post = service.plan(sent, "tiktok", "Hem in a minute #sewing", kind="video", status="processing")
    service.publish(post, "")
    [attempt] = (service.attempts or {})[post]
    attempt |= {"step": "hand_over", "outcome": "in_inbox", "content_url": None}
    tiktok.in_inbox = [str(post)]
    controller = await stage.controller(service)
    await stage.until(lambda: any(one.is_in_inbox for one in controller.workspace.posts.all()))
    panel = await _open(stage, controller, post)
    await stage.until(panel.in_inbox.isVisible)
    panel.in_inbox.qr_code.button.click()
    await stage.until(lambda: panel.in_inbox.qr_code.code.has_image)
    await stage.settle()


async def _inspect(stage: Stage, service: StudioService, post: UUID, *, has_file: bool = False) -> Inspector:
    controller = await stage.controller(service)
    if not has_file:
        return await _open(stage, controller, post)
    await controller.workspace.media.library.refresh()
    panel = await _open(stage, controller, post)
    await stage.until(lambda: panel.preview.cover.has_picture)
    await stage.settle()
    return panel


async def _open(stage: Stage, controller: MainController, post: UUID) -> Inspector:
    controller.window.go("calendar")
    controller.panels.inspect(str(post))
    panel = controller.window.side
    if not isinstance(panel, Inspector):
        raise TypeError("the inspector did not open")
    await stage.until(lambda: panel.has_loaded)
    await stage.settle()
    return panel
