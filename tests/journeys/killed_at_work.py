"""A program that opens the app, starts a long operation, prints that it has, and waits to be killed.

Run as ``python -m tests.journeys.killed_at_work table|repair FILE FOLDER URL KEY_FILE``.
"""

import asyncio
import sys
from pathlib import Path

from app.desktop import aio
from app.desktop.application import Application, Elsewhere
from app.desktop.exchange.import_sheet import ImportSheet
from tests.desktop.composer.composing import stored
from tests.journeys.stage import ZONE, Actor
from tests.journeys.trusting import begin


async def import_table(actor: Actor, path: Path) -> None:
    """Open a table and press the button, like a user."""
    sheet: ImportSheet = actor.controller.tables.open(path)
    await actor.until(sheet.go.isEnabled)
    sheet.go.click()


async def repair(actor: Actor, path: Path) -> None:
    """Attach a video that X doesn't accept, and have a copy made."""
    panel = actor.controller.panels.compose()
    await actor.until(lambda: not panel.text_box.editor.isReadOnly())
    (account,) = actor.workspace.accounts
    panel.accounts.toggle(account).setChecked(True)
    panel.attachment.take([path])
    await actor.until(lambda: bool(stored(panel)) and panel.repair.make.isVisible())
    panel.repair.make.click()


WORKS = {"table": import_table, "repair": repair}


async def work(application: Application, stop: asyncio.Event, what: str, path: Path) -> int:
    application.window.resize(1280, 800)
    application.window.show()
    application.take_folder()
    await begin(application)
    assert application.controller is not None
    await WORKS[what](Actor(application, application.controller), path)
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    await stop.wait()
    return 0


def main(what: str, file: str, folder: str, url: str, key_file: str) -> int:
    app = aio.AsyncApplication([])
    application = Application(Path(folder), ZONE, Elsewhere(url, Path(key_file)))
    return aio.run(app, lambda stop: work(application, stop, what, Path(file)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
