"""A furnished window over a real workspace, and what a person does in the palette."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.palette import Palette
from app.desktop.palette.rows import Entry, Heading
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.workspace.homes import Home
from app.workspace.homes.registry import HomeKind
from tests.desktop.running import shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until

LISBON = ZoneInfo("Europe/Lisbon")
CTRL = Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier


@dataclass
class Studio:
    """The window, and the palette that is open in it."""

    controller: MainController
    workspace: Opened

    @property
    def window(self) -> MainWindow:
        return self.controller.window

    @property
    def palette(self) -> Palette:
        found = [one for one in self.window.findChildren(Palette) if one.isVisible()]
        assert len(found) == 1
        return found[0]

    @property
    def is_open(self) -> bool:
        return any(one.isVisible() for one in self.window.findChildren(Palette))

    @property
    def titles(self) -> list[str]:
        return [row.title for row in self.palette.list.rows if isinstance(row, Entry)]

    @property
    def headings(self) -> list[str]:
        return [row.title for row in self.palette.list.rows if isinstance(row, Heading)]

    @property
    def current(self) -> str:
        assert self.palette.list.current is not None
        return self.palette.list.current.title

    def entry(self, title: str) -> Entry:
        return next(row for row in self.palette.list.rows if isinstance(row, Entry) and row.title == title)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """Presses a key where the focus is."""
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    async def type(self, text: str) -> None:
        """Types, and waits for the list of what is typed."""
        palette = self.palette
        QTest.keyClicks(palette.line, text)
        await until(lambda: not palette.is_waiting)


MakeStudio = Callable[[], AbstractAsyncContextManager[Studio]]


@pytest.fixture
def studio(qapp: QApplication, tmp_path: Path, service: ModelService) -> MakeStudio:
    """Opens a window over everything that the service has by then."""
    theme.apply(qapp, "light")

    @asynccontextmanager
    async def make() -> AsyncIterator[Studio]:
        window = MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)
        async with workspace(tmp_path, service) as opened, shown(window, (1280, 800)):
            controller = MainController(window, opened, Home(kind=HomeKind.EMBEDDED, name="Studio"), LISBON)
            window.go("calendar")
            try:
                yield Studio(controller, opened)
            finally:
                controller.close()

    return make
