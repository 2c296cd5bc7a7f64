"""The command: starts the app again and again on the same folder."""

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import psutil

from tests.benchmarks.calendar import screen
from tests.benchmarks.registry import Benchmark, Result, step
from tests.benchmarks.startup.folder import fill

_SUMMARY: Final = "from the start of the app to window, calendar and service; memory of both after use"
_ROOT: Final = Path(__file__).parents[3]
_SETTLE_S: Final = 8
_SETTINGS: Final = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", "PYTHONDONTWRITEBYTECODE": ""}
"""An installed app finds its modules compiled."""
Figures = dict[str, float]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--posts", type=int, default=10_000, metavar="N", help="posts in the folder (10000)")
    parser.add_argument(
        "--rounds", type=int, default=5, metavar="N", help="warm starts; the median counts (5)"
    )


def run(options: argparse.Namespace) -> Result:
    """One cold start where the page cache can be dropped, then warm ones; memory is measured in the last."""
    os.environ.update(_SETTINGS)
    with TemporaryDirectory(prefix="kalends-startup-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        with step(f"filling a folder with {options.posts:,} posts"):
            asyncio.run(fill(scratch / "data", options.posts))
        with screen.opened(scratch) as shown, step(f"{options.rounds + 2} starts"):
            environment = {**shown.environment, "PYTHONPYCACHEPREFIX": str(scratch / "compiled")}
            besides: Figures = {}
            _start(scratch / "data", environment)  # compiles what is not compiled yet
            if _drop_page_cache():
                besides |= {f"cold_{name}": ms for name, ms in _start(scratch / "data", environment).items()}
            rounds = [_start(scratch / "data", environment) for _ in range(options.rounds)]
            memory, fresh = _memory(scratch / "data", environment)
    figures = {name: median(one[name] for one in rounds) for name in rounds[0]}
    return Result({**figures, **memory}, {**fresh, **besides})


def _start(data: Path, environment: Mapping[str, str]) -> Figures:
    with _running(data, environment) as (_, figures):
        return figures


@contextlib.contextmanager
def _running(data: Path, environment: Mapping[str, str]) -> Iterator[tuple["subprocess.Popen[str]", Figures]]:
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.startup.program",
        repr(time.time()),
        "--data",
        str(data),
    ]
    with subprocess.Popen(
        command, cwd=_ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as app:
        assert app.stdin is not None
        assert app.stdout is not None
        yield app, json.loads(app.stdout.readline())
        app.stdin.close()


def _memory(data: Path, environment: Mapping[str, str]) -> tuple[Figures, Figures]:
    """Resident and proportional memory after use, and for people also right after the start."""
    with _running(data, environment) as (app, _):
        assert app.stdin is not None
        assert app.stdout is not None
        time.sleep(_SETTLE_S)
        fresh = {f"fresh_{name}": mb for name, mb in _megabytes(app.pid).items()}
        app.stdin.write("use\n")
        app.stdin.flush()
        app.stdout.readline()
        time.sleep(_SETTLE_S)
        return _megabytes(app.pid), fresh


def _megabytes(pid: int) -> Figures:
    app = psutil.Process(pid)
    service = next(child for child in app.children() if "app.service" in child.cmdline())
    used = [process.memory_full_info() for process in (app, service)]
    others = [child.memory_full_info().pss for child in app.children(recursive=True) if child != service]
    return {
        "rss_app_mb": used[0].rss / 2**20,
        "rss_service_mb": used[1].rss / 2**20,
        "pss_total_mb": (used[0].pss + used[1].pss + sum(others)) / 2**20,
    }


def _drop_page_cache() -> bool:
    """Make the next start read everything from disk; only root on Linux can."""
    caches = Path("/proc/sys/vm/drop_caches")
    try:
        os.sync()
        caches.write_text("3")
    except OSError:
        return False
    return True


BENCHMARK = Benchmark("startup", _SUMMARY, add_options, run)
