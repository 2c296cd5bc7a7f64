"""The command: starts the app repeatedly with the same folder."""

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
from tests.benchmarks.registry import Benchmark, Result, not_installed, step
from tests.benchmarks.startup import outside, peers
from tests.benchmarks.startup.folder import fill

_SUMMARY: Final = "time from the app's start to window, calendar and service; memory of both after use"
_ROOT: Final = Path(__file__).parents[3]
_SETTLE_S: Final = 8
_REST_S: Final = 40
"""Pause after use, in s: the app frees memory every half minute."""
_SETTINGS: Final = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", "PYTHONDONTWRITEBYTECODE": ""}
"""Bytecode is enabled because an installed app has compiled modules."""
Figures = dict[str, float]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--posts", type=int, default=10_000, metavar="N", help="posts in the folder (10000)")
    parser.add_argument(
        "--rounds", type=int, default=5, metavar="N", help="warm starts; the median counts (5)"
    )
    parser.add_argument(
        "--frozen",
        type=Path,
        metavar="FOLDER",
        help="frozen app, dist/kalends, measured from outside like the source",
    )
    parser.add_argument(
        "--beside",
        nargs="*",
        choices=peers.NAMES,
        default=(),
        help="other apps to compare with; all are then measured from outside",
    )


def run(options: argparse.Namespace) -> Result:
    """Measure a cold start, if the page cache can be dropped, then warm ones. Memory is from the last."""
    os.environ.update(_SETTINGS)
    with TemporaryDirectory(prefix="kalends-startup-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder)
        with step(f"filling a folder with {options.posts:,} posts"):
            asyncio.run(fill(scratch / "data", options.posts))
        with screen.opened(scratch) as shown, step(f"{options.rounds + 2} starts"):
            paths = {"PYTHONPATH": str(_ROOT), "PYTHONPYCACHEPREFIX": str(scratch / "compiled")}
            environment = {**shown.environment, **paths}
            if options.frozen is not None:
                frozen = options.frozen.absolute()
                return Result(*outside.measure(frozen, scratch / "data", shown, environment, options.rounds))
            besides: Figures = {}
            _start(scratch / "data", environment)  # creates missing bytecode
            if peers.drop_page_cache():
                besides |= {f"cold_{name}": ms for name, ms in _start(scratch / "data", environment).items()}
            rounds = [_start(scratch / "data", environment) for _ in range(options.rounds)]
            memory, fresh = _memory(scratch / "data", environment)
            if options.beside:
                besides |= peers.measure_ours(scratch / "data", shown, environment, options.rounds)
            for name in options.beside:
                with step(name):
                    besides |= peers.measure(name, scratch, shown, options.posts, options.rounds)
    figures = {name: median(one[name] for one in rounds) for name in rounds[0]}
    cpu = {name: min(one[name] for one in rounds) for name in figures if name.endswith("_cpu_ms")}
    wall = {name: ms for name, ms in figures.items() if name not in cpu}
    return Result({**wall, **memory}, {**cpu, **fresh, **besides})


def _start(data: Path, environment: Mapping[str, str]) -> Figures:
    with _running(data, environment) as (_, figures):
        return figures


@contextlib.contextmanager
def _running(data: Path, environment: Mapping[str, str]) -> Iterator[tuple["subprocess.Popen[str]", Figures]]:
    command = [
        sys.executable,
        str(Path(__file__).with_name("program.py")),
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
    """Return resident and proportional memory after use, and for people also right after the start."""
    with _running(data, environment) as (app, _):
        assert app.stdin is not None
        assert app.stdout is not None
        time.sleep(_SETTLE_S)
        fresh = {f"fresh_{name}": mb for name, mb in _megabytes(app.pid).items()}
        app.stdin.write("use\n")
        app.stdin.flush()
        app.stdout.readline()
        time.sleep(_REST_S)
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


def missing(options: argparse.Namespace) -> Iterator[str]:
    """Yield what the requested peers need and this machine lacks."""
    if screen.is_lacking():
        yield "There is no Xvfb here: the app paints into memory, and no peer can take part."
    if options.beside:
        yield from not_installed("beside", peers.PROGRAMS)


BENCHMARK = Benchmark("startup", _SUMMARY, add_options, run, missing)
