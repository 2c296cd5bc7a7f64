"""`python program.py STARTED [app options]`: the app, recording its first paints.

STARTED is the start time of this process, in seconds since 1970. When everything is known, prints a line of
JSON: ``window_ms``, ``calendar_ms`` (cards of the last state painted) and ``service_ready_ms``, and the CPU
time used until then, ``*_cpu_ms``. A line ``use`` on stdin visits every pane and many months, and is answered
with an empty line. Exits when stdin ends.
"""

import asyncio
import gc
import json
import sys
import time
from typing import TYPE_CHECKING

from app.children.lean import leave_out
from app.desktop.main import run
from app.desktop.options import parse

if TYPE_CHECKING:
    from app.desktop.application import Application

_MONTHS = 48
_PAUSE_S = 0.05
_PANES = (
    "analytics",
    "connections",
    "drafts",
    "history",
    "media",
    "settings",
    "usage",
    "webhooks",
    "calendar",
)
_POLL_S = 0.002


async def measure(application: "Application", started: float) -> None:
    """Print the time from the start of the process to each event in ms, then answer stdin."""
    from app.desktop import aio

    figures: dict[str, float] = {}

    def note(moment: str) -> None:
        figures[f"{moment}_ms"] = (time.time() - started) * 1_000
        figures[f"{moment}_cpu_ms"] = time.process_time() * 1_000

    await aio.painted(application.window)
    note("window")
    await application.calendar_painted.wait()
    note("calendar")
    while not (application.visit and application.visit.is_service_ready):  # noqa: ASYNC110
        await asyncio.sleep(_POLL_S)
    note("service_ready")
    print(json.dumps(figures), flush=True)
    while (await asyncio.to_thread(sys.stdin.readline)).strip() == "use":
        await use(application)
        print(flush=True)


async def use(application: "Application") -> None:
    """Visit every pane and page through months, as a user does in an hour."""
    assert application.controller is not None
    calendar = application.controller.calendar
    for pane in _PANES:
        application.window.go(pane)
        await asyncio.sleep(1)
    for step in (-1,) * _MONTHS + (1,) * _MONTHS:
        calendar.grid.turn(step)
        await asyncio.sleep(_PAUSE_S)
    application.controller.panels.compose()
    await asyncio.sleep(1)
    application.window.close_side()


def main() -> int:
    """Run the app until stdin ends."""
    gc.disable()  # like `python -m app`
    leave_out("click", "pygments", "rich")
    started = float(sys.argv[1])

    async def work(application: "Application", stop: asyncio.Event) -> int:
        running = asyncio.create_task(application.run(stop))
        await measure(application, started)
        stop.set()
        return await running

    return run(parse(sys.argv[2:]), work)


if __name__ == "__main__":
    sys.exit(main())
