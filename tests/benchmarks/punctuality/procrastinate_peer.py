"""Procrastinate on PostgreSQL, in a database of its own on the service's cluster."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.benchmarks.punctuality.peers import CALLS, Peer, install, worker_process

_PACKAGE: Final = "procrastinate==3.10.0"
_PROGRAM: Final = Path(__file__).with_name("procrastinate_worker.py")
_ROOT: Final = Path(__file__).parents[3]


@contextlib.contextmanager
def running(scratch: Path, workers: int, url: str) -> Iterator[Peer]:
    """Run worker processes on the empty database at ``url``. Raises PeerMissingError.

    The library is installed into the scratch folder, because only this measurement needs it. Its HTTP calls
    use aiohttp, as the service's do.
    """
    install(_ROOT, sys.executable, "-m", "pip", "install", "--quiet", "--target", str(scratch), _PACKAGE)
    environment = {**os.environ, "PYTHONPATH": str(scratch)}
    command = [sys.executable, str(_PROGRAM), url, str(CALLS)]
    with contextlib.ExitStack() as stack:
        processes = [
            stack.enter_context(worker_process(command, scratch, environment)) for _ in range(workers)
        ]
        yield Peer("procrastinate_", processes)
