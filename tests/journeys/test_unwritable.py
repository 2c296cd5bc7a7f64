"""A read-only data folder: the window says so, and continues once it's writable."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.application import Application
from app.desktop.shell.failure import FailureScreen
from app.desktop.welcome import WelcomeScreen
from app.desktop.widgets import Button, Label
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE
from tests.workspace.opened import until


def below_a_file(folder: Path) -> None:
    folder.parent.write_text("a file where a folder should be")


def with_a_lock_of_another_kind(folder: Path) -> None:
    (folder / "app.lock").mkdir(parents=True)


@pytest.mark.parametrize(
    "spoil", [below_a_file, pytest.param(with_a_lock_of_another_kind, marks=pytest.mark.variation)]
)
def test_the_window_says_why_nothing_opens(
    qapp: QApplication, tmp_path: Path, play: Play, spoil: Callable[[Path], None]
) -> None:
    del qapp
    folder = tmp_path / "there" / "data"
    spoil(folder)

    async def journey() -> None:
        stop = asyncio.Event()
        application = Application(folder, ZONE)
        window = application.window
        running = asyncio.ensure_future(application.run(stop))
        await until(lambda: window.findChildren(FailureScreen))
        (screen,) = window.findChildren(FailureScreen)
        assert window.isVisible()
        assert "can't write there" in screen.text
        assert str(folder) in screen.text
        assert "Can't write to the data folder" in [label.text() for label in screen.findChildren(Label)]
        (again,) = [button for button in screen.findChildren(Button) if button.text() == "Try again"]
        if folder.parent.is_file():
            folder.parent.unlink()
        else:
            shutil.rmtree(folder.parent)
        again.setFocus()
        QTest.keyClick(again, Qt.Key.Key_Return)
        await until(lambda: window.findChildren(WelcomeScreen))
        stop.set()
        assert await running == 0
        window.deleteLater()

    play(journey())


@pytest.mark.variation
def test_closing_that_window_ends_the_app(tmp_path: Path, play: Play) -> None:
    folder = tmp_path / "there" / "data"
    below_a_file(folder)

    async def journey() -> None:
        stop = asyncio.Event()
        application = Application(folder, ZONE)
        running = asyncio.ensure_future(application.run(stop))
        await until(lambda: application.window.findChildren(FailureScreen))
        stop.set()
        assert await running == 1
        application.window.deleteLater()

    play(journey())
