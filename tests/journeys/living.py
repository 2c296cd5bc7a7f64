"""`python -m tests.journeys.living [app options]`: the app, which reports its start and ends with stdin.

Creates a calendar on this computer if there is none. Prints a line of JSON: the text of a failure screen
(``failure``), whether the calendar is in sync (``synced``), the files with keys (``key_files``), whether
there is a ``tray``, the time (``now``), and the window's messages (``messages``).
"""

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from app.desktop.main import run
from app.desktop.options import parse

if TYPE_CHECKING:
    from app.desktop.application import Application

_POLL_S = 0.02


async def live(application: "Application", stop: asyncio.Event) -> int:
    """Run the app and print its report."""
    options = parse(None)
    life = asyncio.create_task(application.run(stop))
    told = await _look(application)
    told["key_files"] = sorted(path.name for path in options.data.glob("keys/*.key"))
    told["data"] = str(options.data)
    told["now"] = time.time()
    print(json.dumps(told), flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    stop.set()
    return await life


async def _look(application: "Application") -> dict[str, Any]:
    from PySide6.QtWidgets import QSystemTrayIcon

    from app.desktop.shell.failure import FailureScreen
    from app.desktop.welcome import WelcomeScreen

    window = application.window
    while application.controller is None:
        if screens := window.findChildren(FailureScreen):
            return {"failure": screens[0].text, "visible": window.isVisible()}
        if window.findChildren(WelcomeScreen):
            await application.begin_here(practice=False)
        await asyncio.sleep(_POLL_S)
    while not _is_synced(application):  # noqa: ASYNC110
        await asyncio.sleep(_POLL_S)
    return {
        "failure": "",
        "visible": window.isVisible(),
        "synced": True,
        "tray": QSystemTrayIcon.isSystemTrayAvailable(),
        "messages": window.messages.texts(),
    }


def _is_synced(application: "Application") -> bool:
    """Whether the calendar that is open is in sync.

    Another one is opened in its place if its service has started with another certificate authority.
    """
    visit = application.visit
    return visit is not None and visit.is_service_ready and visit.workspace.sync.last_synced is not None


def main() -> int:
    """Run the app until there is input on stdin, or it ends."""
    options = parse(None)
    return run(options, live)


if __name__ == "__main__":
    sys.exit(main())
