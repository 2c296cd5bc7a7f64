"""A post's panel, open next to the calendar."""

from uuid import UUID

from app.desktop.inspector import Inspector
from tests.gallery.samples import LONG_TEXT, ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService, at
from tests.gallery.stage import Stage

SCREEN = Screen()


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
    post = service.plan(at(-5, "16:00", ZONE), "x", "Orders open at nine. #wool", status="failed")
    service.fail(
        post,
        "",
        advice="X's answer was lost, and Kalends couldn't find out whether the post is live. "
        "Check the account on X, and schedule the post again only if it isn't there.",
        unknown=True,
    )
    await _inspect(stage, service, post)


async def _inspect(stage: Stage, service: StudioService, post: UUID) -> None:
    controller = await stage.controller(service)
    controller.window.go("calendar")
    controller.inspect(str(post))
    panel = controller.window.side
    if not isinstance(panel, Inspector):
        raise TypeError("the inspector did not open")
    await stage.until(panel.text.isVisible)
    await stage.settle()
