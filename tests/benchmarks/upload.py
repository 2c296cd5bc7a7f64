"""Uploads to the service and from the app, beside what curl reaches to a bare sink in the same run."""

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import psutil

from tests.benchmarks.registry import Benchmark, Result
from tests.benchmarks.samples import milliseconds

if TYPE_CHECKING:
    import httpx

_ROOT = Path(__file__).parents[2]
_ROUNDS = 3
_MIB = 2**20
_WATCH_EVERY_S = 0.02
_PNG = b"\x89PNG\r\n\x1a\n"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mib", type=int, default=256, metavar="N", help="size of the file in MiB (256)")


def run(options: argparse.Namespace) -> Result:
    """Sends the same file by turns, so that all see the same machine; ratios are of the medians.

    Growth is resident memory at its highest during a first upload, against before: the service's while curl
    sends, and this process's while the app's client does.
    """
    if shutil.which("curl") is None:
        sys.exit("This is measured against curl, which is not installed here.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = _make_file(folder / "upload.png", options.mib)
        with _Service.running(folder / "data") as service, _sink(folder) as sink_url:
            ways = {
                "curl_to_sink": lambda: _curl(file, sink_url, service.ca_file),
                "curl_to_service": lambda: _curl(file, service.link(file), service.ca_file),
                "app_to_service": lambda: asyncio.run(service.upload_with_client(file)),
            }
            service_growth = _growth_mb(service.process, ways["curl_to_service"])
            app_growth = _growth_mb(psutil.Process(), ways["app_to_service"])
            rates = _rates(ways, options.mib)
    return Result(
        {
            "service_ratio": rates["curl_to_service"] / rates["curl_to_sink"],
            "service_growth_mb": service_growth,
            "app_ratio": rates["app_to_service"] / rates["curl_to_sink"],
            "app_growth_mb": app_growth,
        },
        {f"{way}_mib_s": rate for way, rate in rates.items()},
    )


def _rates(ways: Mapping[str, Callable[[], object]], mib: int) -> Mapping[str, float]:
    """MiB a second of each way."""
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(_ROUNDS):
        for way, send in ways.items():
            seconds[way].append(milliseconds(send) / 1_000)
    return {way: mib / median(taken) for way, taken in seconds.items()}


def _growth_mb(process: psutil.Process, work: Callable[[], object]) -> float:
    """How much more memory a process has at its highest while ``work`` runs, in MiB."""
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


@dataclass
class _Service:
    """The real program with an account, in a process of its own."""

    process: psutil.Process
    base_url: str
    key: str
    ca_file: str
    trust: ssl.SSLContext
    http: "httpx.Client"

    @classmethod
    @contextlib.contextmanager
    def running(cls, data: Path) -> Iterator["_Service"]:
        import httpx

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
                    process = psutil.Process(started.pid)
                    yield cls(process, ready["base_url"], key, ready["ca_file"], trust, http)
            finally:
                started.terminate()

    def link(self, file: Path) -> str:
        """A new upload link for the file."""
        body = {"filename": file.name, "content_type": "image/png", "size_bytes": file.stat().st_size}
        answer = self.http.post("/media/upload-url", json=body)
        answer.raise_for_status()
        return str(answer.json()["upload_url"])

    async def upload_with_client(self, file: Path) -> None:
        """Sends the file as the app does."""
        from app.client import ServiceClient
        from app.contract.media import RequestUploadUrl

        client = ServiceClient(self.base_url, self.key, ssl_context=self.trust)
        try:
            size = file.stat().st_size  # noqa: ASYNC240  nothing else runs here
            wanted = RequestUploadUrl(filename=file.name, content_type="image/png", size_bytes=size)
            await client.media.upload(await client.media.request_upload(wanted), file, "image/png")
        finally:
            await client.close()


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


def _curl(file: Path, url: str, ca_file: str) -> None:
    """Sends the file; the link stays out of the list of processes."""
    command = ["curl", "--silent", "--show-error", "--fail", "--noproxy", "*", "--cacert", ca_file]
    subprocess.run(
        [*command, "--output", os.devnull, "--upload-file", str(file), "--config", "-"],
        input=f'url = "{url}"\n',
        text=True,
        check=True,
    )


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
