"""What was changed, here and elsewhere."""

from app.contract.base import format_timestamp
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import from_millis
from app.workspace.posts.planned import PlannedPost
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.stage import Stage

SCREEN = Screen()
_HOUR = 3_600_000
_DAY = 24 * _HOUR


@SCREEN.scene("changes")
async def steps(stage: Stage) -> None:
    controller = await stage.controller(full_studio())
    controller.window.go("calendar")
    ahead = _ahead(controller)
    for number, post in enumerate(ahead[-6:]):
        controller.workspace.move({post.key: post.at + _DAY * (number + 1)})
    controller.workspace.move({post.key: post.at + _DAY for post in ahead[-12:-6]})
    controller.workspace.undo()
    controller.panels.show_steps()
    await stage.settle()


@SCREEN.scene("conflict")
async def conflict(stage: Stage) -> None:
    service = full_studio()
    controller = await stage.controller(service)
    controller.window.go("calendar")
    ahead = _ahead(controller)
    service.online = False
    controller.workspace.move({post.key: post.at + 2 * _HOUR for post in ahead[-2:]})
    for post in ahead[-2:]:
        theirs = next(one for one in service.posts.values() if one["description"] == post.headline)
        theirs["scheduled_at"] = format_timestamp(from_millis(post.at + _DAY))
    service.online = True
    await controller.workspace.refresh()
    await stage.settle()
    controller.panels.show_conflicts()
    await stage.settle()


def _ahead(controller: MainController) -> list[PlannedPost]:
    """The posts that can still be moved."""
    workspace = controller.workspace
    return [post for post in workspace.posts.all() if workspace.refusal(post.key, post.at + _DAY) is None]
