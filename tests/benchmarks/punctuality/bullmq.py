"""BullMQ on Redis, installed into a scratch folder."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from tests.benchmarks.punctuality.peers import CALLS, Peer, PeerMissingError, install, worker_process
from tests.benchmarks.punctuality.programs import cpu_s, end
from tests.ports import free_port

_PACKAGES: Final = ("bullmq@6.7.0", "ioredis@5", "undici@7")
_REDIS: Final = ("redis-server", "redis-tools", "liblzf1", "libjemalloc2")
_LIBRARIES: Final = "usr/lib/x86_64-linux-gnu"
_PATIENCE_S: Final = 20
PROGRAMS: Final = ("node", "npm")


@contextlib.contextmanager
def running(scratch: Path, workers: int) -> Iterator[Peer]:
    """Run Redis and worker processes. Raises PeerMissingError."""
    redis_command, environment = _bring(scratch)
    port = free_port()
    data = scratch / "redis-data"
    data.mkdir()
    durable = ("--appendonly", "yes", "--appendfsync", "everysec", "--save", "")
    where = ("--bind", "127.0.0.1", "--port", str(port), "--dir", str(data))
    with contextlib.ExitStack() as stack:
        redis = stack.enter_context(
            subprocess.Popen([redis_command, *where, *durable], env=environment, stdout=subprocess.DEVNULL)
        )
        stack.callback(end, redis)
        _await_port(port)
        command = ["node", "bullmq.mjs", str(port), str(CALLS)]
        processes = [
            stack.enter_context(worker_process(command, scratch, os.environ)) for _ in range(workers)
        ]
        yield Peer("peer_", processes, partial(cpu_s, redis.pid))


def _bring(scratch: Path) -> tuple[str, Mapping[str, str]]:
    """Return the command of Redis and its environment. The worker's packages are in the folder."""
    for needed in PROGRAMS:
        if shutil.which(needed) is None:
            raise PeerMissingError(f"{needed} is not installed here")
    scratch.mkdir()
    shutil.copy(Path(__file__).with_name("bullmq.mjs"), scratch)
    install(scratch, "npm", "install", "--no-audit", "--no-fund", "--no-save", *_PACKAGES)
    found = shutil.which("redis-server")
    if found:
        return found, os.environ
    if shutil.which("apt-get") is None:
        raise PeerMissingError("redis-server is not installed here")
    folder = scratch / "redis"
    folder.mkdir()
    install(folder, "apt-get", "download", *_REDIS)
    for package in folder.glob("*.deb"):
        install(folder, "dpkg", "-x", package.name, ".")
    return str(folder / "usr/bin/redis-server"), {**os.environ, "LD_LIBRARY_PATH": str(folder / _LIBRARIES)}


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
