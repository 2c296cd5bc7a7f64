"""Somebody in front of a furnished window."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.desktop.carried import Carried
from app.desktop.composer import ComposerPanel
from app.desktop.drafts import SpreadSheet
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.widgets import MessageStrip
from app.workspace.clock import wall_clock
from app.workspace.time.wall import WallClock
from app.workspace.workspace import Workspace
from tests.desktop.running import furnish, shown
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")
DAYS = WallClock(LISBON)
DAY = 86_400_000


def tomorrow(hour: int = 9) -> int:
    return DAYS.instant(DAYS.today(wall_clock()) + 1, hour * 60)


@dataclass
class Person:
    """Their hands and eyes."""

    controller: MainController
    window: MainWindow
    workspace: Workspace

    async def composer(self) -> ComposerPanel:
        await until(lambda: isinstance(self.window.side, ComposerPanel))
        panel = self.window.side
        assert isinstance(panel, ComposerPanel)
        await until(lambda: not panel.text_box.editor.isReadOnly())
        return panel

    async def sheet(self) -> SpreadSheet:
        await until(lambda: self.window.findChildren(SpreadSheet))
        return self.window.findChildren(SpreadSheet)[0]

    def drop(self, files: list[Path], at: int | None) -> None:
        self.controller.calendar.dropped.emit(Carried(files=tuple(files)), at)

    def said(self) -> str:
        return " | ".join(self.window.messages.texts())

    def press(self, words: str) -> None:
        """Presses the button of the newest message."""
        strip = self.window.findChildren(MessageStrip)[-1]
        (button,) = [one for one in strip.findChildren(QWidget) if getattr(one, "text", str)() == words]
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@asynccontextmanager
async def at_home(folder: Path, opened: Workspace) -> AsyncIterator[Person]:
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)
    async with shown(window, (1280, 800)):
        person = Person(furnish(window, opened), window, opened)
        try:
            yield person
        finally:
            person.controller.close()  # the last one, in tests that replace it
