"""Upload targets: the real service, and a bare sink, each as a separate process."""

import contextlib
import json
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import psutil

if TYPE_CHECKING:
    import httpx

ROOT = Path(__file__).parents[3]


@dataclass
class Service:
    """The real program with an account."""

    process: psutil.Process
    base_url: str
    key: str
    ca_file: str
    http: "httpx.Client"

    @classmethod
    @contextlib.contextmanager
    def running(cls, data: Path) -> Iterator["Service"]:
        """Run it during the block."""
        import httpx

        key = _key(data)
        command = [sys.executable, "-m", "app.service", "serve", "--data", str(data), "--callback-port", "0"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as started:
            assert started.stdout is not None
            try:
                ready = json.loads(started.stdout.readline())
                with httpx.Client(
                    base_url=f"{ready['base_url']}/api/v1",
                    verify=ssl.create_default_context(cafile=ready["ca_file"]),
                    headers={"Authorization": f"Bearer {key}"},
                    trust_env=False,
                    timeout=60,
                ) as http:
                    process = psutil.Process(started.pid)
                    yield cls(process, ready["base_url"], key, ready["ca_file"], http)
            finally:
                started.terminate()

    def link(self, file: Path) -> tuple[str, str]:
        """Return a new upload link for the file, and its path."""
        body = {"filename": file.name, "content_type": "video/mp4", "size_bytes": file.stat().st_size}
        answer = self.http.post("/media/upload-url", json=body)
        answer.raise_for_status()
        return str(answer.json()["upload_url"]), str(answer.json()["storage_path"])

    def remove(self, storage_path: str) -> None:
        """Delete a file, so that the disk doesn't fill up."""
        self.http.delete(f"/media/{quote(storage_path)}").raise_for_status()


@contextlib.contextmanager
def sink(folder: Path) -> Iterator[str]:
    """Run a sink with the service's certificate, and return its URL."""
    tls = folder / "data" / "tls"
    command = [sys.executable, "-m", "tests.benchmarks.sink", str(folder / "sunk"), str(tls / "server.pem")]
    with subprocess.Popen(
        [*command, str(tls / "server.key")], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        try:
            yield f"https://127.0.0.1:{int(started.stdout.readline())}/"
        finally:
            started.terminate()


def _key(data: Path) -> str:
    """Create an account in a new data folder, and return its key."""
    from app.contract.enums import KeyScope
    from app.service.accounts.accounts import Plan, create_account, create_key
    from app.service.clock import system_clock
    from app.service.store.folder import DataFolder

    now = system_clock()
    with closing(DataFolder(data).open_database()) as database:
        owner = database.write_now(lambda rows: create_account(rows, "Upload", Plan.LOCAL, now))
        return database.write_now(lambda rows: create_key(rows, owner, KeyScope.API_FULL, None, now))[1]
