"""The command: senders, their order, and the results."""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from tests.benchmarks.calendar import screen
from tests.benchmarks.registry import Benchmark, Result, not_installed
from tests.benchmarks.samples import milliseconds, percentile
from tests.benchmarks.upload.service import ROOT, Service, sink

_ROUNDS = 5
_MIB = 2**20
_WATCH_EVERY_S = 0.02
_SUMMARY = "uploads to the service and from the app, compared with curl in the same run"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mib", type=int, default=256, metavar="N", help="size of the file in MiB (256)")
    parser.add_argument(
        "--rounds", type=int, default=_ROUNDS, metavar="N", help=f"uploads by each ({_ROUNDS})"
    )


def run(options: argparse.Namespace) -> Result:
    """Send the same file in turn, so that all run under the same conditions.

    Ratios are medians over the rounds.

    ``service_ratio``: curl to the service compared with curl to a bare sink. ``app_ratio``: the app, with its
    window and its list of files, compared with curl, both to signed URLs of the service. Growth is the
    maximum resident memory during a first upload compared with before. Gaps are between iterations of the
    app's event loop while it sends. A cancelled upload ends when file, queue and service have released it.
    """
    if any(missing(options)):
        sys.exit(1)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        file = _make_file(folder / "upload.mp4", options.mib)
        with (
            Service.running(folder / "data") as service,
            sink(folder) as sink_url,
            screen.opened(folder) as shown,
            _App.running(folder, service, shown.environment) as app,
        ):
            return _measure(_Ways(file, service, sink_url, app), options)


@dataclass
class _App:
    """The real app in a separate process."""

    process: psutil.Process
    program: "subprocess.Popen[str]"
    gaps_ms: list[float] = field(default_factory=list)

    @classmethod
    @contextlib.contextmanager
    def running(cls, folder: Path, service: Service, environment: Mapping[str, str]) -> Iterator["_App"]:
        key_file = folder / "key"
        key_file.touch(mode=0o600)
        key_file.write_text(service.key)
        command = [sys.executable, "-m", "tests.benchmarks.upload.app", str(folder / "app"), service.base_url]
        more = {"SSL_CERT_FILE": service.ca_file, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
        with subprocess.Popen(
            [*command, str(key_file)],
            cwd=ROOT,
            env={**environment, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as program:
            app = cls(psutil.Process(program.pid), program)
            try:
                app._line()
                yield app
            finally:
                assert program.stdin is not None
                program.stdin.close()

    def upload(self, file: Path) -> tuple[float, str]:
        """Upload a file; return the seconds from sending until it's stored, and its path."""
        told = self._ask(str(file))
        self.gaps_ms += told["gaps_ms"]
        return told["seconds"], told["storage_path"]

    def cancel(self, file: Path) -> tuple[float, str]:
        """Start and cancel an upload; return the seconds until everything is released, and its path."""
        told = self._ask(f"cancel {file}")
        return told["seconds"], told["storage_path"]

    def _ask(self, line: str) -> Any:
        assert self.program.stdin is not None
        self.program.stdin.write(f"{line}\n")
        self.program.stdin.flush()
        return json.loads(self._line())

    def _line(self) -> str:
        assert self.program.stdout is not None
        line = self.program.stdout.readline()
        if not line:
            raise RuntimeError("the app ended; its last words are above")
        return line


@dataclass
class _Ways:
    """Ways to send a file. Each returns the duration in s."""

    file: Path
    service: Service
    sink_url: str
    app: _App

    def curl_to_sink(self) -> float:
        return self._curl(self.sink_url)

    def curl_to_service(self) -> float:
        url, storage_path = self.service.link(self.file)
        taken = self._curl(url)
        self.service.remove(storage_path)
        return taken

    def app_to_service(self) -> float:
        taken, storage_path = self.app.upload(self.file)
        self.service.remove(storage_path)
        return taken

    def cancelled(self) -> float:
        return self.app.cancel(self.file)[0]

    def _curl(self, url: str) -> float:
        """Send the file, keeping the link out of the process list."""
        command = ["curl", "--silent", "--show-error", "--fail", "--noproxy", "*"]
        command += ["--cacert", self.service.ca_file, "--output", os.devnull]
        command += ["--upload-file", str(self.file), "--config", "-"]

        def send() -> None:
            subprocess.run(command, input=f'url = "{url}"\n', text=True, check=True)

        return milliseconds(send) / 1_000


def _measure(ways: _Ways, options: argparse.Namespace) -> Result:
    service_growth = _growth_mb(ways.service.process, ways.curl_to_service)
    app_growth = _growth_mb(ways.app.process, ways.app_to_service)
    ways.app.gaps_ms.clear()
    seconds = _rounds(ways, options.rounds)
    cancelled = [ways.cancelled() for _ in range(options.rounds)]
    rates = {name: options.mib / median(taken) for name, taken in seconds.items()}
    return Result(
        {
            "service_ratio": _ratio(seconds, "curl_to_sink", "curl_to_service"),
            "service_growth_mb": service_growth,
            "app_ratio": _ratio(seconds, "curl_to_service", "app_to_service"),
            "app_growth_mb": app_growth,
            "gui_gap_ms_p95": percentile(ways.app.gaps_ms, 0.95),
        },
        {
            **{f"{name}_mib_s": rate for name, rate in rates.items()},
            "gui_gap_ms_p99": percentile(ways.app.gaps_ms, 0.99),
            "gui_gap_ms_max": max(ways.app.gaps_ms),
            "cancel_s_max": max(cancelled),
        },
    )


def _rounds(ways: _Ways, rounds: int) -> Mapping[str, list[float]]:
    """Return the durations of each way in s; every other round uses the reverse order."""
    senders: list[Callable[[], float]] = [ways.curl_to_sink, ways.curl_to_service, ways.app_to_service]
    seconds: dict[str, list[float]] = {send.__name__: [] for send in senders}
    for number in range(rounds):
        for send in senders if number % 2 else reversed(senders):
            os.sync()  # flush, so that no measurement includes earlier writes
            seconds[send.__name__].append(send())
    return seconds


def _ratio(seconds: Mapping[str, list[float]], peer: str, ours: str) -> float:
    """Return our speed relative to the peer's, by rounds, because what slows a round slows both."""
    pairs = zip(seconds[peer], seconds[ours], strict=True)
    return median(theirs / mine for theirs, mine in pairs)


def _growth_mb(process: psutil.Process, work: Callable[[], object]) -> float:
    """Return how much a process's memory grows at most while ``work`` runs, in MiB."""
    before = highest = process.memory_info().rss
    done = threading.Event()

    def watch() -> None:
        nonlocal highest
        while not done.wait(_WATCH_EVERY_S):
            highest = max(highest, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        work()
    finally:
        done.set()
        watcher.join()
    return float(highest - before) / _MIB


def _make_file(path: Path, mib: int) -> Path:
    """Create a very short video followed by a box of incompressible data."""
    from tests.workspace.media.samples import MP4

    spare = mib * _MIB - len(MP4)
    with path.open("wb") as file:
        file.write(MP4 + spare.to_bytes(4, "big") + b"free")
        left = spare - 8
        while left:
            file.write(os.urandom(min(left, _MIB)))
            left -= min(left, _MIB)
    return path


def missing(_options: argparse.Namespace) -> Iterator[str]:
    return not_installed("upload", ("curl",))


BENCHMARK = Benchmark("upload", _SUMMARY, add_options, run, missing)
