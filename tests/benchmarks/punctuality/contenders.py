"""The contenders: the service and the other queues."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol

from app.service.clock import system_clock
from tests.benchmarks.punctuality import plan, programs
from tests.benchmarks.punctuality.peers import Peer, jobs_of
from tests.benchmarks.punctuality.plan import Planned
from tests.benchmarks.punctuality.stores import Store


class Contender(Protocol):
    """Publishes while it's working; ``prefix`` is the prefix of its figures."""

    @property
    def prefix(self) -> str: ...

    def plan(self, planned: Sequence[Planned]) -> None:
        """Schedule posts, whether it's working or not. Returns when done."""

    def working(self, workers: int) -> AbstractContextManager[None]:
        """Let this many processes work during the block."""

    def cpu_s(self) -> float:
        """Return the CPU time used so far in s, while it's working, without a database server."""


@dataclass
class Ours:
    """The service: one process that does everything, or worker processes on PostgreSQL."""

    store: Store
    practice_url: str
    prefix: Final = ""
    _programs: Sequence[programs.Program] = field(default=(), init=False)

    def plan(self, planned: Sequence[Planned]) -> None:
        plan.store(self.store.database, planned, system_clock())

    @contextlib.contextmanager
    def working(self, workers: int) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            options = self.store.serve, self.practice_url
            if self.store.is_shared:
                started = [stack.enter_context(programs.worker(*options)) for _ in range(workers)]
            else:
                started = [stack.enter_context(programs.service(*options))]
            self._programs = started
            yield

    def cpu_s(self) -> float:
        return sum(program.cpu_s() for program in self._programs)


@dataclass
class Theirs:
    """Another queue, whose jobs make the same calls as the service."""

    peer: Peer
    practice_url: str

    @property
    def prefix(self) -> str:
        return self.peer.prefix

    def plan(self, planned: Sequence[Planned]) -> None:
        self.peer.add(asyncio.run(jobs_of(planned, self.practice_url)))

    @contextlib.contextmanager
    def working(self, workers: int) -> Iterator[None]:
        self.peer.work(workers)
        yield
        self.peer.work(0)

    def cpu_s(self) -> float:
        return self.peer.cpu_s()
