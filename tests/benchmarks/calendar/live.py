"""`python -m tests.benchmarks.calendar.live POSTS`: time from a change in the service to the screen.

Uses the real service, the real workspace and the pane in its window. Another client moves a post; the time
runs from before its call until the day is painted. Prints one line of JSON, in ms.
"""

import asyncio
import json
import ssl
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import UUID

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from app.client import ServiceClient
from app.contract.posts import CreatePost
from app.desktop import aio
from app.desktop.calendar import CalendarPane
from app.desktop.collector import GuiThreadCollector
from app.desktop.shell.window import MainWindow
from app.workspace.workspace import Workspace
from tests.benchmarks.calendar.pane import ZONE, furnish, open_window
from tests.benchmarks.service.world import Server, World

_CHANGES: Final = 40
_PATIENCE_S: Final = 120
_SETTLE_S: Final = 0.3
_AHEAD: Final = timedelta(days=10)


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1])
    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    collector = GuiThreadCollector(app)
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (
            World(folder / "service", count).serving() as server,
            asyncio.Runner(loop_factory=lambda: aio.event_loop(app)) as runner,
        ):
            # Before there are tasks: a task that Qt's loop begins inside another one's step is lost.
            window = open_window(app, folder)
            taken = runner.run(_measure(window, server, folder, count))
    collector.stop()
    print(json.dumps(taken))


async def _measure(window: MainWindow, server: Server, folder: Path, count: int) -> list[float]:
    other = _client(server)
    workspace = await Workspace.open(_client(server), folder / "workspace.db", name="Benchmark")
    try:
        await _until(lambda: len(workspace.posts) >= count and workspace.sync.last_synced is not None)
        pane = CalendarPane(workspace, ZONE)
        furnish(window, pane)
        taken = await _changes(pane, workspace, other)
        window.close()
    finally:
        await workspace.close()
        await other.close()
    return taken


def _client(server: Server) -> ServiceClient:
    trusted = ssl.create_default_context(cafile=server.ca_file)
    return ServiceClient(server.base_url, server.key, ssl_context=trusted)


async def _changes(pane: CalendarPane, workspace: Workspace, other: ServiceClient) -> list[float]:
    """Move a post back and forth between two visible days."""
    at = (datetime.now(UTC) + _AHEAD).replace(hour=10)
    body = {
        "social_account_id": UUID(next(iter(workspace.accounts))),
        "platform": "linkedin",
        "post_type": "text",
        "description": "Live",
        "scheduled_at": at,
    }
    made = await other.create_post(CreatePost.model_validate(body, strict=False))
    await _until(lambda: any(post.key == str(made.id) for post in workspace.posts))
    pane.show_span(pane.grid.span, at.toordinal())
    screen = _Screen(pane.grid.view.viewport(), workspace, str(made.id))
    taken = []
    for number in range(_CHANGES):
        await asyncio.sleep(_SETTLE_S)
        painted = screen.next_change()
        start = time.perf_counter()
        moving = asyncio.create_task(other.reschedule_post(made.id, at + timedelta(days=1 - number % 2)))
        async with asyncio.timeout(_PATIENCE_S):
            taken.append((await painted - start) * 1_000)
            await moving
    return taken


async def _until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while not true():  # noqa: ASYNC110  seldom
            await asyncio.sleep(0.02)


class _Screen(QObject):
    """Reports when the workspace's changes are painted."""

    def __init__(self, surface: QWidget, workspace: Workspace, key: str) -> None:
        super().__init__(surface)
        self._has_heard = False
        self._painted: asyncio.Future[float] | None = None
        workspace.listen(lambda changes: self._hear() if key in changes.posts else None)
        surface.installEventFilter(self)

    def next_change(self) -> asyncio.Future[float]:
        """Return when the next change is on the screen, by `perf_counter`."""
        self._has_heard = False
        self._painted = asyncio.get_running_loop().create_future()
        return self._painted

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note the event right before the surface is painted."""
        if self._has_heard and event.type() is QEvent.Type.Paint:
            QTimer.singleShot(0, self._tell)
        return super().eventFilter(watched, event)

    def _hear(self) -> None:
        self._has_heard = True

    def _tell(self) -> None:
        if self._painted is not None and not self._painted.done():
            self._painted.set_result(time.perf_counter())


if __name__ == "__main__":
    main()
