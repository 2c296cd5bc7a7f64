"""The contenders: the service and the peer."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol

from app.service.clock import system_clock
from tests.benchmarks.punctuality import plan, programs
from tests.benchmarks.punctuality.peer import Peer, jobs_of
from tests.benchmarks.punctuality.plan import Planned
from tests.benchmarks.punctuality.stores import Store


class Contender(Protocol):
    """Publishes while it's working; ``prefix`` is the prefix of its figures."""

    @property
    def prefix(self) -> str: ...

    def plan(self, planned: Sequence[Planned]) -> None:
        """Schedule posts, whether it's working or not. Returns when done."""

    def working(self) -> AbstractContextManager[None]:
        """Let it work during the block."""

    def cpu_s(self) -> float:
        """Return the CPU time used so far in s, while it's working."""


@dataclass
class Ours:
    """The service."""

    store: Store
    practice_url: str
    prefix: Final = ""
    _program: programs.Program | None = field(default=None, init=False)

    def plan(self, planned: Sequence[Planned]) -> None:
        plan.store(self.store.database, planned, system_clock())

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        with programs.service(self.store.serve, self.practice_url) as self._program:
            yield

    def cpu_s(self) -> float:
        assert self._program is not None
        return self._program.cpu_s()


@dataclass
class Theirs:
    """BullMQ, whose jobs make the same calls as the service."""

    peer: Peer
    practice_url: str
    prefix: Final = "peer_"

    def plan(self, planned: Sequence[Planned]) -> None:
        self.peer.add(asyncio.run(jobs_of(planned, self.practice_url)))

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        self.peer.work(wanted=True)
        yield
        self.peer.work(wanted=False)

    def cpu_s(self) -> float:
        return self.peer.cpu_s()
