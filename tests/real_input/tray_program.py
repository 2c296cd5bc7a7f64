"""The window with an in-memory service, closed immediately.

Run as ``python -m tests.real_input.tray_program FOLDER``. It answers questions about itself, see `questions`.
"""

import asyncio
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QPushButton

from app.desktop import aio
from app.desktop.background.background import Background
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.workspace.clock import wall_clock
from app.workspace.homes import Home
from app.workspace.homes.registry import HomeKind
from app.workspace.workspace import Workspace
from tests.real_input.questions import Questioned, answer_questions
from tests.workspace.model_service import ModelService

ZONE = ZoneInfo("Europe/Lisbon")
HALF_AN_HOUR = 1_800_000


class Answers(Questioned):
    """Questions to the program."""

    def focused(self) -> str:
        """Return the label of the focused button; empty for none."""
        button = QApplication.focusWidget()
        return button.text() if isinstance(button, QPushButton) else ""


async def live(folder: Path, stop: asyncio.Event) -> int:
    service = ModelService(wall_clock)
    service.add_post(service.add_account(), wall_clock() + HALF_AN_HOUR)
    workspace = await Workspace.open(service.client(), folder / "workspace.db", name="Studio", practice=True)
    await workspace.refresh()
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), ZONE)
    window.show()
    controller = MainController(window, workspace, Home(kind=HomeKind.EMBEDDED, name="Studio"), ZONE)
    background = Background(window)
    background.quit_wanted.connect(stop.set)
    background.follow(controller, runs_here=True)
    background.preferences.keeps_publishing = True
    window.close()
    answer_questions(Answers(), stop)
    await stop.wait()
    background.end()
    controller.close()
    await workspace.close()
    window.close()
    return 0


if __name__ == "__main__":
    application = aio.AsyncApplication(["kalends"])
    application.setDesktopFileName("kalends")
    sys.exit(aio.run(application, lambda stop: live(Path(sys.argv[1]), stop)))
