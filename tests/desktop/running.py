"""Runs a test's coroutine on Qt's event loop, as the app does, over a service in memory."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop import aio
from app.workspace.clock import Pace, wall_clock
from app.workspace.homes import Home
from app.workspace.homes.registry import HomeKind
from app.workspace.workspace import Workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, Opened, opened

if TYPE_CHECKING:
    from app.desktop.shell.main_controller import MainController
    from app.desktop.shell.window import MainWindow

Shown = TypeVar("Shown", bound=QWidget)
LISBON = ZoneInfo("Europe/Lisbon")


def run(app: QApplication, work: Callable[[], Awaitable[None]]) -> None:
    """Runs ``work`` to its end."""
    gc.collect()  # what fixtures and the test before left, which the app's collector would freeze

    async def main(_stop: asyncio.Event) -> int:
        async with asyncio.timeout(120):
            await work()
        return 0

    assert isinstance(app, aio.AsyncApplication)
    assert aio.run(app, main) == 0
    # The loop's own timers are a cycle of garbage: another thread must not be the one to collect it.
    gc.collect()


@asynccontextmanager
async def workspace(folder: Path, service: ModelService, pace: Pace = QUICK) -> AsyncIterator[Opened]:
    """A workspace that has seen everything of the service."""
    async with opened(folder, service, pace=pace) as made:
        await made.refresh()
        yield made


def furnish(window: "MainWindow", workspace: Workspace) -> "MainController":
    """Furnishes a window over the calendar of this computer. Only panes that are opened are built.

    Building the others, as the app does soon after its start, would take most of a test's time.
    """
    from app.desktop.shell.main_controller import MainController

    controller = MainController(window, workspace, Home(kind=HomeKind.EMBEDDED, name="Studio"), LISBON)
    controller._builder.stop()
    return controller


@asynccontextmanager
async def shown(widget: Shown, size: tuple[int, int] | None = None) -> AsyncIterator[Shown]:
    """Shows a widget in front, in a size where one is given, and destroys it."""
    if size is not None:
        widget.resize(*size)
    widget.show()
    widget.activateWindow()
    await asyncio.sleep(0.01)
    try:
        yield widget
    finally:
        widget.hide()
        widget.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        await asyncio.sleep(0)


def service_of_today() -> ModelService:
    """A service that goes by the wall clock."""
    return ModelService(wall_clock)
