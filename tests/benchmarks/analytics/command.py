"""The command: fills a mirror, then opens the pane in a separate process."""

import argparse
import asyncio
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from app.workspace.clock import Pace, wall_clock
from tests.benchmarks.analytics.mirror import fill, size_mb
from tests.benchmarks.calendar import screen
from tests.benchmarks.registry import Benchmark, Result
from tests.workspace.model_service import ModelService
from tests.workspace.opened import opened

_ROOT = Path(__file__).parents[3]
_SUMMARY = "analytics with 90 days of 8 platforms with 500 items each, compared with plain Python"
_FIGURES = ("open_ms", "filter_ms_p50", "filter_ms_p95", "rss_mb_added")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=int, default=90, metavar="N", help="days with samples (90)")
    parser.add_argument("--items", type=int, default=500, metavar="N", help="items per platform (500)")
    parser.add_argument("--rounds", type=int, default=60, metavar="N", help="filters to set (60)")


def run(options: argparse.Namespace) -> Result:
    """Measure the pane.

    ``open_ms`` is the time from showing the pane for the first time to its painted dashboard, after the
    import. The app has just started, so no metrics are in memory. ``rss_mb_added`` is the memory of the pane
    without its libraries, whose memory and import time are listed separately. Filters are timed on the GUI
    thread until totals and charts are painted, and ``filter_whole`` until the posts are too, in a separate
    frame. On a busy machine, CPU times are more meaningful.
    """
    with TemporaryDirectory(prefix="kalends-analytics-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        (scratch / "mirror").mkdir()
        samples, pack_ms = asyncio.run(_fill(scratch / "mirror", options))
        with screen.opened(scratch) as shown:
            command = [sys.executable, "-m", "tests.benchmarks.analytics.pane", str(scratch / "mirror")]
            done = subprocess.run(
                [*command, str(options.rounds)],
                cwd=_ROOT,
                env=dict(shown.environment),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
        found = json.loads(done.stdout.splitlines()[-1])
        besides = {"samples": float(samples), "mirror_mb": size_mb(scratch / "mirror"), "pack_ms": pack_ms}
        besides |= {name: value for name, value in found.items() if name not in _FIGURES}
        return Result({name: found[name] for name in _FIGURES}, besides)


async def _fill(folder: Path, options: argparse.Namespace) -> tuple[int, float]:
    """Fill a mirror like a sync, with days packed at the end. Returns the samples and the packing time."""
    async with opened(folder, ModelService(wall_clock, online=False), pace=Pace()) as workspace:
        samples = await fill(workspace, options.days, options.items)
        started = asyncio.get_running_loop().time()
        await workspace.analytics.pack()
        return samples, (asyncio.get_running_loop().time() - started) * 1_000


BENCHMARK = Benchmark("analytics", _SUMMARY, add_options, run)
