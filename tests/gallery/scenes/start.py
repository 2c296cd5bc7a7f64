"""The window before a calendar is open, and when none could be opened."""

import asyncio

from app.desktop.shell.failure import FailureScreen
from app.workspace.homes import Home, Homes
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.home import HomeKind
from tests.gallery.scene import Screen
from tests.gallery.stage import Stage
from tests.workspace.model_service import KEY

SCREEN = Screen()
_DAMAGE = b"This was a database once. " * 400


@SCREEN.scene("window-starting")
async def starting(stage: Stage) -> None:
    await stage.bare_window()


@SCREEN.scene("window-damaged-file")
async def damaged(stage: Stage) -> None:
    home = Home(kind=HomeKind.REMOTE, name="Okafor Studio", base_url="https://plan.okafor.studio")
    homes = Homes(stage.folder)
    await asyncio.to_thread(homes.keep, home)
    await Credentials(stage.folder).keep(home.id, KEY)
    file = homes.folder(home) / "workspace.db"
    file.parent.mkdir(parents=True)
    file.write_bytes(_DAMAGE)
    app = await stage.application()
    await app.begin()
    await stage.until(lambda: app.window.findChildren(FailureScreen))
