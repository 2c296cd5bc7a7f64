"""`python -m tests.benchmarks.startup.program STARTED [app options]`: the app, which notes its first paints.

STARTED is when this process was started, in seconds since 1970. Prints a line of JSON when all is known:
``window_ms``, ``calendar_ms`` (cards of the last state painted) and ``service_ready_ms``. A line ``use`` on
stdin goes through every pane and many months, and is answered with an empty line. Ends with stdin.
"""

import asyncio
import json
import sys
import time

from PySide6.QtCore import QEvent, QObject

from app.desktop import aio
from app.desktop.application import Application
from app.desktop.main import assemble, parse

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


class FirstPaint(QObject):
    """Notes when a widget was first painted."""

    def __init__(self, widget: QObject) -> None:
        super().__init__(widget)
        self.painted: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at the clock once the paint event is dealt with."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            asyncio.get_running_loop().call_soon(lambda: self.painted.set_result(time.time()))
        return False


async def measure(application: Application, started: float) -> None:
    """Print the milliseconds from the start of the process to each moment, then answer stdin."""
    window = FirstPaint(application.window)
    while application.house is None:  # noqa: ASYNC110  the app tells nobody
        await asyncio.sleep(_POLL_S)
    cards = FirstPaint(application.house.calendar.grid.view.viewport())
    while not (application.visit and application.visit.is_service_ready):  # noqa: ASYNC110
        await asyncio.sleep(_POLL_S)
    ready = time.time()
    moments = {
        "window_ms": await window.painted,
        "calendar_ms": await cards.painted,
        "service_ready_ms": ready,
    }
    print(json.dumps({name: (at - started) * 1_000 for name, at in moments.items()}), flush=True)
    while (await asyncio.to_thread(sys.stdin.readline)).strip() == "use":
        await use(application)
        print(flush=True)


async def use(application: Application) -> None:
    """Look at every pane and turn months, forth and back, as a person does in an hour."""
    assert application.house is not None
    calendar = application.house.calendar
    for pane in _PANES:
        application.window.go(pane)
        await asyncio.sleep(1)
    for step in (-1,) * _MONTHS + (1,) * _MONTHS:
        calendar.grid.turn(step)
        await asyncio.sleep(_PAUSE_S)
    application.house.compose()
    await asyncio.sleep(1)
    application.window.close_side()


def main() -> int:
    """Run the app until stdin ends."""
    started = float(sys.argv[1])
    options = parse(sys.argv[2:])
    app, application = assemble(options)

    async def work(stop: asyncio.Event) -> int:
        running = asyncio.create_task(application.run(stop))
        await measure(application, started)
        stop.set()
        return await running

    return aio.run(app, work)


if __name__ == "__main__":
    sys.exit(main())
