"""Moving a group of posts in the calendar of a real workspace, from the command to the repaint."""

import argparse
import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tests.benchmarks.registry import Benchmark, Result
from tests.benchmarks.samples import percentile

if TYPE_CHECKING:
    from app.desktop.calendar import CalendarPane
    from app.workspace.workspace import Workspace
    from tests.workspace.model_service import ModelService

_HOUR_MS = 3_600_000
_YEAR_H = 365 * 24
_SIZE = (1_440, 900)
_ZONE = ZoneInfo("Europe/Lisbon")
_ROUNDS = 20
_REST_S = 0.3


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--posts", type=int, default=10_000, metavar="N", help="posts over two years (10000)")
    parser.add_argument("--group", type=int, default=200, metavar="N", help="posts to move (200)")


def run(options: argparse.Namespace) -> Result:
    """Move the next posts a day forward and undo it, alternating, while the service is unreachable.

    Wall time includes painting, while a thread writes the change to disk. CPU time is only the GUI thread's.
    The first move is listed separately.
    """
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

    from app.desktop import aio
    from app.desktop.collector import GuiThreadCollector

    app = aio.AsyncApplication([])
    collector = GuiThreadCollector(app)
    taken: list[tuple[float, float]] = []

    async def measure(_stop: asyncio.Event) -> int:
        with TemporaryDirectory() as folder:
            taken.extend(await _measure(Path(folder), options.posts, options.group))
        return 0

    aio.run(app, measure)
    collector.stop()
    return _result(taken)


def _result(taken: list[tuple[float, float]]) -> Result:
    walls, cpus = zip(*taken[1:], strict=True)
    figures = {
        "group_move_ms_p50": percentile(walls, 0.5),
        "group_move_ms_p95": percentile(walls, 0.95),
        "group_move_cpu_ms_p50": percentile(cpus, 0.5),
        "group_move_cpu_ms_p95": percentile(cpus, 0.95),
    }
    return Result(figures, {"first_ms": taken[0][0], "first_cpu_ms": taken[0][1]})


async def _measure(folder: Path, posts: int, group: int) -> list[tuple[float, float]]:
    from app.desktop.calendar import CalendarPane
    from app.workspace.clock import Pace, wall_clock
    from app.workspace.workspace import Workspace
    from tests.workspace.model_service import ModelService

    service = ModelService(wall_clock)
    _fill(service, posts)
    pace = Pace(poll_active=600, poll_idle=600, everything=600)
    workspace = await Workspace.open(service.client(), folder / "workspace.db", name="Benchmark", pace=pace)
    try:
        while len(workspace.posts) < posts or workspace.sync.syncing:  # noqa: ASYNC110  there is no event for it
            await asyncio.sleep(0.05)
        pane = CalendarPane(workspace, _ZONE)
        pane.resize(*_SIZE)
        pane.show()
        await asyncio.sleep(1)
        service.online = False
        bench = _Bench(pane, workspace, group)
        return await bench.run()
    finally:
        await workspace.close()


def _fill(service: "ModelService", count: int) -> None:
    """Create evenly spread posts around now. Past ones are published."""
    now, account = service.clock(), service.add_account()
    for number in range(count):
        at = now + (number * 2 * _YEAR_H // count - _YEAR_H) * _HOUR_MS + number % 60 * 60_000
        service.add_post(
            account, at // 60_000 * 60_000, f"Post {number}", "posted" if at < now else "scheduled"
        )


@dataclass
class _Bench:
    """A selected group that moves back and forth."""

    pane: "CalendarPane"
    workspace: "Workspace"
    group: int

    async def run(self) -> list[tuple[float, float]]:
        soon = time.time() * 1_000 + _HOUR_MS
        posts = [post for post in self.workspace.posts if post.at > soon][: self.group]
        times = {post.key: post.at + 24 * _HOUR_MS for post in posts}
        self.pane.grid.view.selection.choose(times, posts[0].key)
        taken = []
        for _ in range(_ROUNDS):
            taken.append(await self._timed(lambda: self.workspace.move(times)))
            taken.append(await self._timed(self.workspace.undo))
        return taken

    async def _timed(self, act: Callable[[], None]) -> tuple[float, float]:
        """Return wall time and this thread's CPU time until the change is painted, in ms."""
        await asyncio.sleep(_REST_S)
        gc.collect()
        painted = self._next_painting()
        wall, cpu = time.perf_counter(), time.thread_time()
        act()
        await painted
        return (time.perf_counter() - wall) * 1_000, (time.thread_time() - cpu) * 1_000

    def _next_painting(self) -> "asyncio.Future[None]":
        """Return a future that's done after the next repaint."""
        from PySide6.QtCore import QEvent, QObject

        painted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        class Painting(QObject):
            def eventFilter(self, watched: QObject, event: QEvent) -> bool:
                if event.type() is QEvent.Type.Paint and not painted.done():
                    painted.set_result(None)  # awaited in the next iteration, after painting
                    watched.removeEventFilter(self)
                return False

        viewport = self.pane.grid.view.viewport()
        viewport.installEventFilter(Painting(viewport))
        return painted


BENCHMARK = Benchmark("groupmove", "moving a group of posts in the calendar of a workspace", add_options, run)
