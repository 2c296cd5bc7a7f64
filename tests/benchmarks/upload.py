"""Uploads to the service and with the app's client, beside what curl reaches to a bare sink in the same run."""

import argparse
import contextlib
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx
import psutil

from tests.benchmarks.registry import Benchmark, Result

_ROOT = Path(__file__).parents[2]
_ROUNDS = 3
_MIB = 2**20
_WATCH_EVERY_S = 0.02
_PNG = b"\x89PNG\r\n\x1a\n"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mib", type=int, default=256, metavar="N", help="size of the file in MiB (256)")


def run(options: argparse.Namespace) -> Result:
    """Sends the same file by turns, so that all see the same machine; ratios are of the medians.

    The growth is the service's resident memory at its highest during its first upload, against before.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = _make_file(folder / "upload.png", options.mib)
        with _Service.running(folder / "data") as service, _sink(folder) as sink_url:
            growth = service.growth_mb(lambda: _curl(file, service.link(file), service.ca_file))
            sinks, services = [], []
            for _ in range(_ROUNDS):
                sinks.append(options.mib / _curl(file, sink_url, service.ca_file))
                services.append(options.mib / _curl(file, service.link(file), service.ca_file))
    return Result(
        {"service_ratio": median(services) / median(sinks), "service_growth_mb": growth},
        {"curl_to_sink_mib_s": median(sinks), "curl_to_service_mib_s": median(services)},
    )


@dataclass
class _Service:
    """The real program with an account, in a process of its own."""

    process: psutil.Process
    ca_file: str
    http: httpx.Client

    @classmethod
    @contextlib.contextmanager
    def running(cls, data: Path) -> Iterator["_Service"]:
        key = _key(data)
        command = [sys.executable, "-m", "app.service", "serve", "--data", str(data), "--callback-port", "0"]
        with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as started:
            assert started.stdout is not None
            try:
                ready = json.loads(started.stdout.readline())
                trust = ssl.create_default_context(cafile=ready["ca_file"])
                with httpx.Client(
                    base_url=f"{ready['base_url']}/api/v1",
                    verify=trust,
                    headers={"Authorization": f"Bearer {key}"},
                    trust_env=False,
                ) as http:
                    yield cls(psutil.Process(started.pid), ready["ca_file"], http)
            finally:
                started.terminate()

    def link(self, file: Path) -> str:
        """A new upload link for the file."""
        body = {"filename": file.name, "content_type": "image/png", "size_bytes": file.stat().st_size}
        answer = self.http.post("/media/upload-url", json=body)
        answer.raise_for_status()
        return str(answer.json()["upload_url"])

    def growth_mb(self, work: Callable[[], object]) -> float:
        """How much more memory the process has at its highest while ``work`` runs, in MiB."""
        before = highest = self.process.memory_info().rss
        done = threading.Event()

        def watch() -> None:
            nonlocal highest
            while not done.wait(_WATCH_EVERY_S):
                highest = max(highest, self.process.memory_info().rss)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            work()
        finally:
            done.set()
            watcher.join()
        return (highest - before) / _MIB


@contextlib.contextmanager
def _sink(folder: Path) -> Iterator[str]:
    """A running sink with the service's certificate; gives its URL."""
    tls = folder / "data" / "tls"
    command = [sys.executable, "-m", "tests.benchmarks.sink", str(folder / "sunk"), str(tls / "server.pem")]
    with subprocess.Popen(
        [*command, str(tls / "server.key")], cwd=_ROOT, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        try:
            yield f"https://127.0.0.1:{int(started.stdout.readline())}/"
        finally:
            started.terminate()


def _curl(file: Path, url: str, ca_file: str) -> float:
    """Seconds that curl takes to send the file."""
    began = time.perf_counter()
    command = ["curl", "--silent", "--show-error", "--fail", "--noproxy", "*", "--cacert", ca_file]
    subprocess.run(
        [*command, "--output", os.devnull, "--upload-file", str(file), "--config", "-"],
        input=f'url = "{url}"\n',
        text=True,
        check=True,
    )
    return time.perf_counter() - began


def _key(data: Path) -> str:
    """Makes an account in a new data folder; gives its key."""
    from app.contract.enums import KeyScope
    from app.service.accounts.accounts import create_account
    from app.service.accounts.keys import create_key
    from app.service.accounts.plans import Plan
    from app.service.clock import system_clock
    from app.service.store.folder import DataFolder

    now = system_clock()
    with closing(DataFolder(data).open_database()) as database:
        owner = database.write_now(lambda rows: create_account(rows, "Upload", Plan.LOCAL, now))
        return database.write_now(lambda rows: create_key(rows, owner, KeyScope.API_FULL, None, now))[1]


def _make_file(path: Path, mib: int) -> Path:
    """A file that passes for a picture and that nothing can compress."""
    with path.open("wb") as file:
        file.write(_PNG + os.urandom(_MIB - len(_PNG)))
        for _ in range(mib - 1):
            file.write(os.urandom(_MIB))
    return path


BENCHMARK = Benchmark("upload", __doc__.splitlines()[0], add_options, run)
