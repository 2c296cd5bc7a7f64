"""The real app with a simulated user at its window."""

import asyncio
import os
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from app.desktop import aio
from app.desktop.application import Application, Elsewhere
from app.desktop.shell.main_controller import MainController
from app.desktop.welcome.service_form import TrustPanel
from tests.benchmarks.appkills.lives import tell

ZONE: Final = ZoneInfo("Europe/Lisbon")
_BROKEN: Final = 70


@dataclass(frozen=True, slots=True)
class Place:
    """A data folder, and the app's service; None for an embedded one."""

    folder: Path
    service: Elsewhere | None


Somebody = Callable[[Application], Awaitable[None]]
"""Actions of a simulated user."""


def be_the_app(place: Place, pipe: int, somebody: Somebody) -> int:
    """Run the app until it's told to quit, and return its exit code. For a separate process."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    app = aio.AsyncApplication(["kalends"])
    app.setApplicationName("Kalends")
    application = Application(place.folder, ZONE, place.service)

    async def live(stop: asyncio.Event) -> int:
        using = asyncio.get_running_loop().create_task(_use(application, stop, pipe, somebody))
        watching = asyncio.get_running_loop().create_task(_end_with(os.getppid()))
        try:
            return await application.run(stop)
        finally:
            using.cancel()
            watching.cancel()

    return aio.run(app, live)


async def opened(application: Application) -> MainController:
    """Wait until the app has opened its calendar. Accepts the service's certificate if asked."""
    panel: TrustPanel | None = None
    while application.controller is None:
        if panel is None and (panel := application.window.findChild(TrustPanel)) is not None:
            panel.compared.click()
            panel.accept.click()
        await asyncio.sleep(0.005)
    return application.controller


async def _end_with(parent: int) -> None:
    while os.getppid() == parent:  # noqa: ASYNC110  there is no event for it
        await asyncio.sleep(1)
    os._exit(_BROKEN)


async def _use(application: Application, stop: asyncio.Event, pipe: int, somebody: Somebody) -> None:
    try:
        await somebody(application)
    except Exception:  # noqa: BLE001  any error makes this life useless
        if stop.is_set():
            return  # the app is quitting without a window
        tell(pipe, "wrong", traceback.format_exc())
        os._exit(_BROKEN)
