"""BullMQ on Redis, installed into a scratch folder, making the same calls as the service."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.contract.enums import ConnectionPlatform
from app.platforms.base import PlatformError
from app.platforms.registry import build_adapters
from app.platforms.wire import Reply, Request, UnsentError
from tests.benchmarks.punctuality.plan import Planned
from tests.benchmarks.punctuality.programs import cpu_s, end
from tests.ports import free_port

_PACKAGES: Final = ("bullmq@6.7.0", "ioredis@5", "undici@7")
_REDIS: Final = ("redis-server", "redis-tools", "liblzf1", "libjemalloc2")
_LIBRARIES: Final = "usr/lib/x86_64-linux-gnu"
_AT_ONCE: Final = 50
_PATIENCE_S: Final = 20
Job = tuple[int, dict[str, Any]]


PROGRAMS: Final = ("node", "npm")


class PeerMissingError(Exception):
    """The peer can't be installed here; the message says why."""


@dataclass(frozen=True)
class Peer:
    """The queue and its worker."""

    worker: "subprocess.Popen[str]"
    redis: "subprocess.Popen[bytes]"

    def add(self, jobs: Sequence[Job]) -> None:
        """Add jobs to the queue. Returns when done."""
        self._say(add=jobs)

    def work(self, *, wanted: bool) -> None:
        self._say(work=wanted)

    def cpu_s(self) -> float:
        """Return the CPU time used so far in s, including Redis."""
        return cpu_s(self.worker.pid) + cpu_s(self.redis.pid)

    def _say(self, **command: object) -> None:
        assert self.worker.stdin is not None
        assert self.worker.stdout is not None
        self.worker.stdin.write(json.dumps(command) + "\n")
        self.worker.stdin.flush()
        failed = json.loads(self.worker.stdout.readline())["failed"]
        if failed:
            raise RuntimeError(f"{failed} calls of the peer failed")


@contextlib.contextmanager
def running(scratch: Path) -> Iterator[Peer]:
    """Run the peer. Raises PeerMissingError."""
    redis_command, environment = _bring(scratch)
    port = free_port()
    data = scratch / "redis-data"
    data.mkdir()
    durable = ("--appendonly", "yes", "--appendfsync", "everysec", "--save", "")
    where = ("--bind", "127.0.0.1", "--port", str(port), "--dir", str(data))
    with subprocess.Popen(
        [redis_command, *where, *durable], env=environment, stdout=subprocess.DEVNULL
    ) as redis:
        try:
            _await_port(port)
            with subprocess.Popen(
                ["node", "peer.mjs", str(port), str(_AT_ONCE)],
                cwd=scratch,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            ) as worker:
                try:
                    yield Peer(worker, redis)
                finally:
                    end(worker)
        finally:
            end(redis)


def _bring(scratch: Path) -> tuple[str, Mapping[str, str]]:
    """Return the command of Redis and its environment. The worker's packages are in the folder."""
    for needed in PROGRAMS:
        if shutil.which(needed) is None:
            raise PeerMissingError(f"{needed} is not installed here")
    shutil.copy(Path(__file__).with_name("peer.mjs"), scratch)
    _do(scratch, "npm", "install", "--no-audit", "--no-fund", "--no-save", *_PACKAGES)
    found = shutil.which("redis-server")
    if found:
        return found, os.environ
    if shutil.which("apt-get") is None:
        raise PeerMissingError("redis-server is not installed here")
    folder = scratch / "redis"
    folder.mkdir()
    _do(folder, "apt-get", "download", *_REDIS)
    for package in folder.glob("*.deb"):
        _do(folder, "dpkg", "-x", package.name, ".")
    return str(folder / "usr/bin/redis-server"), {**os.environ, "LD_LIBRARY_PATH": str(folder / _LIBRARIES)}


def _do(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerMissingError(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-300:]}")


def _await_port(port: int) -> None:
    give_up = time.monotonic() + _PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > give_up:
                raise PeerMissingError("redis-server does not start") from None
            time.sleep(0.05)
        else:
            return


async def jobs_of(planned: Sequence[Planned], practice_url: str) -> list[Job]:
    """Return for each post the same request that the service's adapter makes."""
    recorder = _Recorder()
    jobs: list[Job] = []
    async with build_adapters(practice_url, wire=recorder) as adapters:
        for one in planned:
            with contextlib.suppress(PlatformError):
                adapter = adapters[ConnectionPlatform(one.account.platform)]
                await adapter.publish(one.account.publication(one.text))
            jobs.append((one.at_ms, recorder.seen))
    return jobs


class _Recorder:
    """Records the last request instead of sending it."""

    def __init__(self) -> None:
        self.seen: dict[str, Any] = {}

    async def exchange(self, request: Request) -> Reply:
        body = request.body.decode() if isinstance(request.body, bytes) else ""
        self.seen = {"url": request.url, "headers": dict(request.headers), "body": body}
        raise UnsentError("only remembered")

    async def aclose(self) -> None:
        """Does nothing: there is nothing to close."""
