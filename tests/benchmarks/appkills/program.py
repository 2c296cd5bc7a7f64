"""The app as people start it, with somebody in front of its window."""

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
from app.desktop.shell.house import House
from app.desktop.welcome.trust import TrustPanel
from tests.benchmarks.appkills.lives import tell

ZONE: Final = ZoneInfo("Europe/Lisbon")
_BROKEN: Final = 70


@dataclass(frozen=True, slots=True)
class Place:
    """A data folder, and the service that its app is for; None for one of its own on this computer."""

    folder: Path
    service: Elsewhere | None


Somebody = Callable[[Application], Awaitable[None]]
"""What somebody does in front of the app."""


def be_the_app(place: Place, pipe: int, somebody: Somebody) -> int:
    """Lives as the app until it is told to quit; gives its exit code. For a process of its own."""
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


async def opened(application: Application) -> House:
    """Waits until the app has opened its calendar; trusts the service when it is asked."""
    panel: TrustPanel | None = None
    while application.house is None:
        if panel is None and (panel := application.window.findChild(TrustPanel)) is not None:
            panel.accept.click()
        await asyncio.sleep(0.005)
    return application.house


async def _end_with(parent: int) -> None:
    while os.getppid() == parent:  # noqa: ASYNC110  nobody tells of it
        await asyncio.sleep(1)
    os._exit(_BROKEN)


async def _use(application: Application, stop: asyncio.Event, pipe: int, somebody: Somebody) -> None:
    try:
        await somebody(application)
    except Exception:  # noqa: BLE001  whatever it is: the life is of no use
        if stop.is_set():
            return  # the app is going, and its window is gone
        tell(pipe, "wrong", traceback.format_exc())
        os._exit(_BROKEN)
