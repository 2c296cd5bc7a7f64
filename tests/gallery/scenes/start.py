"""The window before a calendar is open, and when none could be opened."""

import asyncio
from pathlib import Path

from app.desktop.shell.failure import FailureScreen
from app.workspace.homes import Home, Homes
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.registry import HomeKind
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
    """The file is set aside and built again; a message says so."""
    file = await _file_of_a_home(stage)
    file.write_bytes(_DAMAGE)
    app = await stage.application()
    await app.begin()
    await stage.until(app.window.messages.texts)


@SCREEN.scene("window-failed")
async def failed(stage: Stage) -> None:
    """Something else stands where the file should be."""
    (await _file_of_a_home(stage)).mkdir()
    app = await stage.application()
    await app.begin()
    await stage.until(lambda: app.window.findChildren(FailureScreen))


@SCREEN.scene("window-failed-switching")
async def failed_switching(stage: Stage) -> None:
    """A calendar that was chosen can't be opened; another one was open before."""
    app = await stage.application()
    text = "The API key of Agency is missing from this computer. Connect to the service again."
    app.window.cover_failure(text, "", before="Okafor Studio, Lisbon and Porto")


async def _file_of_a_home(stage: Stage) -> Path:
    """Where a calendar that the app knows keeps its rows."""
    home = Home(kind=HomeKind.REMOTE, name="Okafor Studio", base_url="https://plan.okafor.studio")
    homes = Homes(stage.folder)
    await asyncio.to_thread(homes.keep, home)
    await Credentials(stage.folder).keep(home.id, KEY)
    file = homes.folder(home) / "workspace.db"
    file.parent.mkdir(parents=True)
    return file
