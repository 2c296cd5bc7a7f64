"""What happens while the person is at another place of the window: said in its foot, with a way there."""

import errno
import os

from app.desktop.background.background import ClosingSheet, EndingSheet, ask_about_login
from app.desktop.background.unsaved import UnsavedSheet
from app.desktop.background.unsent import UnfinishedSheet, UnpublishedSheet, UnsentSheet
from app.desktop.notices import Teller
from app.workspace.notices import notice
from app.workspace.unsaved import UnsavedText
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.stage import Stage

SCREEN = Screen()


@SCREEN.scene("closing")
async def closing(stage: Stage) -> None:
    """What is asked when the window is closed for the first time."""
    controller = await stage.controller(full_studio())
    sheet = ClosingSheet(controller.window)
    sheet.present(sheet.keep)


@SCREEN.scene("closing-without-tray")
async def closing_without_tray(stage: Stage) -> None:
    """What is asked where closing the window ends Kalends while posts wait."""
    controller = await stage.controller(full_studio())
    sheet = EndingSheet(controller.window, 20)
    sheet.present(sheet.minimize)


@SCREEN.scene("closing-unsaved")
async def closing_unsaved(stage: Stage) -> None:
    """What is asked before texts are lost that the disk didn't take."""
    controller = await stage.controller(full_studio())
    sheet = UnsavedSheet(controller.window, [UnsavedText("A text", "", (), None)] * 2, "")
    sheet.present(sheet.save)


@SCREEN.scene("closing-unsent")
async def closing_unsent(stage: Stage) -> None:
    """What is asked before changes wait until the calendar is opened again."""
    controller = await stage.controller(full_studio())
    sheet = UnsentSheet(controller.window, 3)
    sheet.present(sheet.stay)


@SCREEN.scene("closing-unpublished")
async def closing_unpublished(stage: Stage) -> None:
    """What is asked before another calendar is opened instead of one that is published from here."""
    controller = await stage.controller(full_studio())
    sheet = UnpublishedSheet(controller.window, 20)
    sheet.present(sheet.stay)


@SCREEN.scene("closing-unfinished")
async def closing_unfinished(stage: Stage) -> None:
    """What is asked while a post waits for its file."""
    controller = await stage.controller(full_studio())
    panel = controller.panels.compose()
    panel.waiting.for_upload(1, panel.schedule, at_once=False)
    sheet = UnfinishedSheet(controller.window, controller.unfinished())
    sheet.present(sheet.stay)


@SCREEN.scene("unwritable")
async def unwritable(stage: Stage) -> None:
    """What shows where the data folder cannot be written."""
    application = await stage.application()
    application.folder.say_unwritable(OSError(errno.EROFS, os.strerror(errno.EROFS)))


@SCREEN.scene("notices-login")
async def at_login(stage: Stage) -> None:
    """Asked once, when a post is planned that needs this computer."""
    service = full_studio()
    service.practice = False
    controller = await stage.controller(service)
    ask_about_login(
        controller.window, controller.workspace, lambda: controller.settings.background.can_start_at_login
    )
    await stage.until(controller.window.messages.texts)


@SCREEN.scene("notices")
async def notices(stage: Stage) -> None:
    """Several posts as one, a failure with its reason, and an account to reconnect."""
    controller = await stage.controller(full_studio())
    controller.window.go("usage")
    workspace, teller = controller.workspace, Teller(controller.window)
    posts = workspace.posts.all()
    failed = next(post for post in posts if post.reason)
    ended = next(one for one in workspace.accounts.values() if not one.is_available)
    teller.say(notice.published([post for post in posts if post.published][:5], None))
    teller.say(notice.failed([failed], workspace.accounts[failed.account_key], missed=False))
    teller.say(notice.ended([ended]))
