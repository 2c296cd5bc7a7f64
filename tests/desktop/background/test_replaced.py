"""An upgrade replaced the app while its window is open, or while it is in the tray."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QAbstractButton, QApplication

from app.children.replaced import ProgramFile
from app.children.successor import Successor
from app.desktop.background.replaced import Replacement
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.desktop.widgets import MessageStrip
from app.workspace.clock import wall_clock
from tests.desktop.running import LISBON, furnish, run, service_of_today, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

SECOND, HOUR = 1_000, 3_600_000
WORDS = "Kalends was updated. Restart it to use the new version. Your drafts are saved."


class Recorded(Successor):
    """Notes the command line instead of running it."""

    @property
    def command(self) -> tuple[str, ...]:
        return self._command


@pytest.fixture
def service(qapp: QApplication) -> ModelService:
    theme.apply(qapp, "light")
    made = service_of_today()
    made.add_account()
    return made


@asynccontextmanager
async def living(
    folder: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[MainController, Replacement, Recorded, list[str]]]:
    """A calendar that was opened with a link, and a list of the restarts that were wanted."""
    monkeypatch.setattr(sys, "argv", ["kalends", "--data", str(folder), "kalends://today"])
    program = folder / "kalends"
    program.write_bytes(b"old")
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)
    restarts: list[str] = []
    async with workspace(folder, service) as opened, shown(window):
        controller = furnish(window, opened)
        successor = Recorded("kalends")
        replacement = Replacement(window, ProgramFile(program, look_s=0.01), successor)
        replacement.restart_wanted.connect(lambda: restarts.append("restart"))
        replacement.follow(controller)
        try:
            yield controller, replacement, successor, restarts
        finally:
            replacement.end()
            controller.close()


def replace(folder: Path) -> None:
    (folder / "new").write_bytes(b"another")
    (folder / "new").replace(folder / "kalends")


def press(controller: MainController, words: str) -> None:
    (button,) = [
        one for one in controller.window.messages.findChildren(QAbstractButton) if one.text() == words
    ]
    button.click()


def test_it_offers_a_restart_while_the_window_is_open(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with living(tmp_path, service, monkeypatch) as (controller, replacement, successor, restarts):
            replace(tmp_path)
            await until(lambda: WORDS in controller.window.messages.texts())
            replacement.follow(controller)  # as after the panes are rebuilt
            (strip,) = controller.window.messages.findChildren(MessageStrip)
            assert strip.count() == 1
            replacement.restart_if_quiet()
            assert not successor.is_wanted, "not while the person may be at work"
            press(controller, "Restart now")
            assert restarts == ["restart"]
            assert successor.command == ("kalends", "--data", str(tmp_path)), "the link isn't opened again"

    run(qapp, work)


def test_later_means_when_the_window_is_in_the_tray(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with living(tmp_path, service, monkeypatch) as (controller, replacement, successor, restarts):
            replace(tmp_path)
            await until(lambda: WORDS in controller.window.messages.texts())
            press(controller, "Later")
            assert restarts == []
            controller.window.hide()
            replacement.restart_if_quiet()
            assert restarts == ["restart"]
            assert successor.command == ("kalends", "--data", str(tmp_path), "--hidden")

    run(qapp, work)


@pytest.mark.parametrize(("lead_ms", "restarts_now"), [(30 * SECOND, False), (HOUR, True)])
def test_in_the_tray_it_restarts_by_itself_unless_a_post_is_near(
    lead_ms: int,
    restarts_now: bool,
    qapp: QApplication,
    tmp_path: Path,
    service: ModelService,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service.add_post(service.connections[0]["id"], wall_clock() + lead_ms)

    async def work() -> None:
        async with living(tmp_path, service, monkeypatch) as (controller, _, successor, restarts):
            controller.window.hide()
            replace(tmp_path)
            await until(lambda: WORDS in controller.window.messages.texts())
            assert (restarts == ["restart"]) is restarts_now
            assert successor.is_wanted is restarts_now

    run(qapp, work)
