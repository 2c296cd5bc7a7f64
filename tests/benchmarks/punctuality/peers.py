"""What other queues have in common: worker processes, and jobs with the same calls as the service."""

import contextlib
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.contract.enums import ConnectionPlatform
from app.platforms.base import PlatformError
from app.platforms.registry import build_adapters
from app.platforms.wire import Reply, Request, UnsentError
from tests.benchmarks.punctuality.plan import Planned
from tests.benchmarks.punctuality.programs import cpu_s, end

CALLS: Final = 50
"""Maximum number of concurrent calls of each worker process."""
Job = tuple[int, dict[str, Any]]
"""When to make a call, in ms since 1970, and the call."""


class PeerMissingError(Exception):
    """The peer can't be installed here; the message says why."""


@dataclass(frozen=True)
class Peer:
    """Another queue. Its worker processes take commands as lines of JSON, and answer each with one line.

    ``more_cpu_s`` returns the CPU time of other processes that belong to it.
    """

    prefix: str
    workers: "Sequence[subprocess.Popen[str]]"
    more_cpu_s: Callable[[], float] = lambda: 0.0

    def add(self, jobs: Sequence[Job]) -> None:
        """Add jobs to the queue. Returns when done."""
        self._say(self.workers[0], add=jobs)

    def work(self, workers: int) -> None:
        """Let this many processes work, and the others stop."""
        for number, worker in enumerate(self.workers):
            self._say(worker, work=number < workers)

    def cpu_s(self) -> float:
        """Return the CPU time used so far in s."""
        return sum(cpu_s(worker.pid) for worker in self.workers) + self.more_cpu_s()

    def _say(self, worker: "subprocess.Popen[str]", **command: object) -> None:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(json.dumps(command) + "\n")
        worker.stdin.flush()
        failed = json.loads(worker.stdout.readline())["failed"]
        if failed:
            raise RuntimeError(f"{failed} calls of {self.prefix}peer failed")


@contextlib.contextmanager
def worker_process(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> "Iterator[subprocess.Popen[str]]":
    """Run a worker process that takes commands."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, text=True) as worker:
        try:
            yield worker
        finally:
            end(worker)


def install(folder: Path, *command: str) -> None:
    """Run a command that installs something. Raises PeerMissingError."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerMissingError(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-300:]}")


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
