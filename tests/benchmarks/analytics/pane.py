"""The measured process: a full mirror, the real pane in a window, and a user who tries everything.

Prints one line of JSON with the measurements, in ms and MiB.
"""

import asyncio
import gc
import importlib
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import psutil
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from sqlalchemy import select

from app.desktop import aio
from app.desktop.analytics import AnalyticsPane
from app.desktop.theme import theme
from app.workspace.analytics.dataset import Figure
from app.workspace.clock import Pace, wall_clock
from app.workspace.store.tables import metrics
from tests.benchmarks.samples import percentile
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, opened

_MIB = 2**20
_ZONE = ZoneInfo("Europe/Lisbon")
_PATIENCE_S = 120


async def measure(folder: Path, rounds: int) -> dict[str, float]:
    """Import the pane's dependencies, open it for the first time, open another, and set filters there."""
    process = psutil.Process()
    # Without the service, which doesn't have these posts: a sync would remove them.
    async with opened(folder, ModelService(wall_clock, online=False), pace=Pace()) as workspace:
        gc.collect()
        before = process.memory_info().rss
        import_ms = _import_ms()
        imported = process.memory_info().rss
        first = await _open(workspace, rounds=0)
        once = process.memory_info().rss
        found = await _open(workspace, rounds=rounds)
        gc.collect()
        after = process.memory_info().rss
        naive = await _naive_ms(workspace)
    filters = found["filters"]
    return {
        "open_ms": first["open_ms"],
        "filter_ms_p50": percentile(filters, 0.5),
        "filter_ms_p95": percentile(filters, 0.95),
        "rss_mb_added": (after - imported) / _MIB,
        "open_cpu_ms": first["open_cpu_ms"],
        "open_again_ms": found["open_ms"],
        "filter_cpu_ms_p50": percentile(found["busy"], 0.5),
        "filter_cpu_ms_p95": percentile(found["busy"], 0.95),
        "filter_whole_ms_p50": percentile(found["whole"], 0.5),
        "filter_whole_ms_p95": percentile(found["whole"], 0.95),
        **_by_span(filters, found["days"]),
        "gui_gap_ms_max": first["gap_ms"],
        "import_ms": import_ms,
        "rss_mb_imported": (imported - before) / _MIB,
        "rss_mb_after_first_open": (once - imported) / _MIB,
        "naive_filter_ms": naive,
    }


def _import_ms() -> float:
    started = time.perf_counter()
    for name in ("app.desktop.analytics.board", "app.workspace.analytics.tally"):
        importlib.import_module(name)
    return (time.perf_counter() - started) * 1_000


async def _open(workspace: Opened, rounds: int) -> dict[str, Any]:
    """Open the pane until its dashboard is painted, then set one filter after the other."""
    pane = AnalyticsPane(workspace, _ZONE)
    pane.resize(1_232, 760)
    started, worked = time.perf_counter(), time.process_time()
    pane.show()
    gap, last = 0.0, started
    async with asyncio.timeout(_PATIENCE_S):
        while pane.board is None or not pane.board.isVisible():
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            gap, last = max(gap, now - last), now
    pane.repaint()
    open_ms, open_cpu_ms = (time.perf_counter() - started) * 1_000, (time.process_time() - worked) * 1_000
    filters, busy, days, whole = [], [], [], []
    for number in range(rounds):
        at = time.thread_time()
        filters.append(_changed_ms(pane, number))
        busy.append((time.thread_time() - at) * 1_000)
        days.append(pane.span.usual.value())
        whole.append(filters[-1] + await _posts_ms(pane))
        await asyncio.sleep(0.02)
    pane.hide()
    pane.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    await asyncio.sleep(0.05)
    shown = {"open_ms": open_ms, "open_cpu_ms": open_cpu_ms, "gap_ms": gap * 1_000}
    return shown | {"filters": filters, "busy": busy, "days": days, "whole": whole}


async def _posts_ms(pane: AnalyticsPane) -> float:
    """Return the time until the posts are painted in their own frame."""
    assert pane.board is not None
    started = time.perf_counter()
    while not pane.board.posts.updatesEnabled():  # noqa: ASYNC110  timed per loop iteration
        await asyncio.sleep(0)
    _paint()
    return (time.perf_counter() - started) * 1_000


def _paint() -> None:
    """Update layouts and repaint."""
    QApplication.sendPostedEvents()
    QApplication.sendPostedEvents(None, QEvent.Type.UpdateRequest)


def _by_span(filters: list[float], days: list[str]) -> dict[str, float]:
    """Group filter times by the number of days shown: more days take longer to paint."""
    found: dict[str, float] = {}
    for span in dict.fromkeys(days):
        taken = [one for one, chosen in zip(filters, days, strict=True) if chosen == span]
        found |= {f"filter_{span}_days_ms_p{share}": percentile(taken, share / 100) for share in (50, 95)}
    return found


def _changed_ms(pane: AnalyticsPane, number: int) -> float:
    """Change the account, time range or metric, and return the time until everything is repainted."""
    assert pane.data is not None
    assert pane.board is not None
    keys = [source.key for source in pane.data.sources]
    started = time.perf_counter()
    match number % 4:
        case 0:
            pane.sources.choose([keys[number % len(keys)]])
        case 1:
            pane.span.usual.set_value(("7", "30", "90")[number // 4 % 3])
        case 2:
            pane.sources.choose([])
        case _:
            pane.board.tiles.buttons[list(Figure)[number // 4 % len(Figure)]].setChecked(True)
    _paint()
    return (time.perf_counter() - started) * 1_000


async def _naive_ms(workspace: Opened) -> float:
    """Compute the same totals by day and platform in plain Python, without reading the rows."""
    chosen = select(metrics.c.platform, metrics.c.content_id, metrics.c.metric_date, metrics.c.views)
    rows = await workspace._core.database.read(
        lambda connection: [tuple(row) for row in connection.execute(chosen.order_by(metrics.c.metric_date))]
    )
    started = time.perf_counter()
    last: dict[tuple[str, str | None], int] = {}
    days: defaultdict[tuple[str, str], int] = defaultdict(int)
    for platform, content_id, day, views in rows:
        days[platform, day] += views - last.get((platform, content_id), 0)
        last[platform, content_id] = views
    return (time.perf_counter() - started) * 1_000


def main() -> None:
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
    app = aio.AsyncApplication(["kalends-benchmark"])
    theme.apply(app, "light")
    found: dict[str, float] = {}

    async def work(_stop: asyncio.Event) -> int:
        found.update(await measure(folder, rounds))
        return 0

    aio.run(app, work)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
