"""The command: contenders, their order, and the results."""

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from tests.benchmarks.punctuality import bullmq, peers, plan, procrastinate_peer, programs, stores
from tests.benchmarks.punctuality.accounts import Account, connect
from tests.benchmarks.punctuality.arrivals import Arrivals, Lateness
from tests.benchmarks.punctuality.contenders import Contender, Ours, Theirs
from tests.benchmarks.punctuality.plan import Planned
from tests.benchmarks.registry import Benchmark, Result, not_installed, step

_SUMMARY: Final = "publishing delay, compared with BullMQ and Procrastinate in the same run"
_FIGURES: Final = ("late_ms_p50", "late_ms_p99", "drain_per_s")
_TOLD_BEFORE_MS: Final = 4_000
"""How long before their time the contenders get posts, in ms."""
_SETTLE_S: Final = 2
_LONGEST_S: Final = 180
_NEWCOMERS: Final = 100
_NEWCOMERS_OVER_MS: Final = 3_000


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", choices=stores.NAMES, default="sqlite", help="database (sqlite)")
    parser.add_argument(
        "--far", type=int, default=100_000, metavar="N", help="posts due far in the future (100000)"
    )
    parser.add_argument("--due", type=int, default=1_000, metavar="N", help="posts due simultaneously (1000)")
    parser.add_argument("--overdue", type=int, default=10_000, metavar="N", help="missed posts (10000)")
    parser.add_argument("--accounts", type=int, default=200, metavar="N", help="connected accounts (200)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds; the median counts (3)")
    parser.add_argument("--idle", type=float, default=10, metavar="S", help="seconds to measure idle (10)")
    parser.add_argument(
        "--workers",
        type=int,
        nargs="+",
        default=[1],
        metavar="N",
        help="numbers of worker processes to measure in turn, on PostgreSQL (1)",
    )
    parser.add_argument("--no-peer", action="store_true", help="skip other queues; their figures are 0")


def run(options: argparse.Namespace) -> Result:
    """Measure our service and the peers in turn, with the same practice platforms."""
    workers = options.workers if options.store == "postgresql" else [1]
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kalends-punctuality-")))
        practice = stack.enter_context(programs.practice(folder / "practice"))
        store = stack.enter_context(stores.opened(options.store, folder / "data"))
        others = () if options.no_peer else tuple(_peers(stack, folder, store, max(workers)))
        contenders: list[Contender] = [Ours(store, practice.base_url)]
        contenders += (Theirs(one, practice.base_url) for one in others)
        with step(f"connecting {options.accounts:,} accounts"):
            accounts = asyncio.run(connect(practice.base_url, store.database, store.seal, options.accounts))
        measurement = _Measurement(options, accounts, Arrivals(folder / "practice"), practice, store)
        figures = measurement.of(contenders, workers)
    return _result(figures)


def _peers(
    stack: contextlib.ExitStack, folder: Path, store: stores.Store, workers: int
) -> Iterator[peers.Peer]:
    offered: dict[str, AbstractContextManager[peers.Peer]] = {
        "BullMQ": bullmq.running(folder / "bullmq", workers)
    }
    if store.cluster is not None:
        url = store.cluster.create_database()
        offered["Procrastinate"] = procrastinate_peer.running(folder / "procrastinate", workers, url)
    for name, peer in offered.items():
        try:
            yield stack.enter_context(peer)
        except peers.PeerMissingError as error:
            print(f"{name} cannot take part, so its figures are 0: {error}.", file=sys.stderr)


def _result(measured: Mapping[str, float]) -> Result:
    names = [f"{prefix}{name}" for prefix in ("", "peer_", "procrastinate_") for name in _FIGURES]
    besides = {name: value for name, value in measured.items() if name not in names}
    return Result({name: measured.get(name, 0.0) for name in names}, besides)


@dataclass(frozen=True, slots=True)
class _Burst:
    """Result of posts that were due together, and the CPU time used."""

    late: Lateness
    cpu_s: float


class _Measurement:
    """One run. Every name of posts is used once."""

    def __init__(
        self,
        options: argparse.Namespace,
        accounts: Sequence[Account],
        arrivals: Arrivals,
        practice: programs.Program,
        store: stores.Store,
    ) -> None:
        self._options = options
        self._accounts = accounts
        self._arrivals = arrivals
        self._practice = practice
        self._store = store
        self._early = 0

    def of(self, contenders: Sequence[Contender], workers: Sequence[int]) -> dict[str, float]:
        """Return the figures. Those of more than one worker process are named ``w2_...`` and so on."""
        measured: dict[str, float] = {}
        with step(f"planning {self._options.far:,} posts far ahead"):
            for contender in contenders:
                contender.plan(plan.far_ahead(self._accounts, self._options.far, _now_ms()))
        for count in workers:
            mark = "" if count == workers[0] else f"w{count}_"
            with contextlib.ExitStack() as stack:
                for contender in contenders:
                    stack.enter_context(contender.working(count))
                if count == workers[0]:
                    with step("watching it idle"):
                        measured |= self._idle(contenders)
                with step(f"bursts of {self._options.due:,} posts, {count} workers"):
                    measured |= self._bursts(contenders, mark)
            for contender in contenders:
                with step(f"draining {self._options.overdue:,} missed posts, {count} workers"):
                    measured |= self._drain(contender, count, mark)
        return {**measured, "early": self._early}

    def _idle(self, contenders: Sequence[Contender]) -> dict[str, float]:
        """Return the share of a core that contenders use while nothing is due."""
        time.sleep(_SETTLE_S)
        before = [contender.cpu_s() for contender in contenders]
        time.sleep(self._options.idle)
        used = [contender.cpu_s() - start for contender, start in zip(contenders, before, strict=True)]
        length = max(self._options.idle, 0.001)
        return {
            f"{c.prefix}idle_cpu_percent": 100 * s / length for c, s in zip(contenders, used, strict=True)
        }

    def _bursts(self, contenders: Sequence[Contender], mark: str) -> dict[str, float]:
        """Publish posts within a second, and posts at one instant, in turn."""
        found: dict[str, list[_Burst]] = {}
        for number in range(self._options.rounds):
            for over_ms, kind in ((1_000, ""), (0, "instant_")):
                for contender in contenders:
                    name = f"{mark}{contender.prefix}{kind}"
                    found.setdefault(name, []).append(self._burst(contender, f"{name}{number}", over_ms))
        return {key: value for name, bursts in found.items() for key, value in _summary(name, bursts)}

    def _burst(self, contender: Contender, name: str, over_ms: int) -> _Burst:
        start = _now_ms() + _TOLD_BEFORE_MS
        planned = plan.spread(name, self._accounts, self._options.due, start, over_ms)
        contender.plan(planned)
        time.sleep(max(0.0, (start - _now_ms()) / 1_000 - 1))
        before = contender.cpu_s()
        late = self._wait(planned)
        return _Burst(late, contender.cpu_s() - before)

    def _drain(self, contender: Contender, workers: int, mark: str) -> dict[str, float]:
        """Publish missed posts from the start, while others become due."""
        prefix, count = f"{mark}{contender.prefix}", self._options.overdue
        overdue = plan.spread(f"{prefix}missed", self._accounts, count, _now_ms() - 60_000, 1_000)
        contender.plan(overdue)
        with contender.working(workers):
            before = self._cores_s(contender)
            start = _now_ms() + 1_000
            new = plan.spread(f"{prefix}new", self._accounts, _NEWCOMERS, start, _NEWCOMERS_OVER_MS)
            contender.plan(new)
            late = self._wait(new)
            drained = self._wait(overdue)
            after = self._cores_s(contender)
        return {
            f"{prefix}drain_per_s": drained.per_s,
            f"{prefix}new_while_draining_ms_p50": late.p50,
            f"{prefix}new_while_draining_ms_p99": late.p99,
            **{f"{prefix}drain_{who}": 1_000 * (after[who] - before[who]) / count for who in after},
        }

    def _cores_s(self, contender: Contender) -> dict[str, float]:
        """Return the CPU time used so far in s: who needs most of it per post sets the limit.

        ``idle`` is the time that the machine's cores had nothing to do: without any, its CPU is the limit.
        """
        return {
            "worker_cpu_ms": contender.cpu_s(),
            "database_cpu_ms": self._store.server_cpu_s(),
            "platform_cpu_ms": self._practice.cpu_s(),
            "idle_cpu_ms": float(psutil.cpu_times().idle),
        }

    def _wait(self, planned: Sequence[Planned]) -> Lateness:
        late = self._arrivals.wait(planned, _LONGEST_S)
        self._early += late.early
        return late


def _summary(name: str, bursts: Sequence[_Burst]) -> Iterator[tuple[str, float]]:
    """Yield the figures of the round with the median 99th percentile."""
    middle = sorted(bursts, key=lambda burst: burst.late.p99)[(len(bursts) - 1) // 2]
    posts = len(middle.late.late_ms)
    yield f"{name}late_ms_p50", middle.late.p50
    yield f"{name}late_ms_p99", middle.late.p99
    yield f"{name}cpu_s_per_1000", 1_000 * middle.cpu_s / posts


def _now_ms() -> int:
    return int(time.time() * 1_000)


def missing(options: argparse.Namespace) -> Iterator[str]:
    return iter(()) if options.no_peer else not_installed("the peer", bullmq.PROGRAMS)


BENCHMARK = Benchmark("punctuality", _SUMMARY, add_options, run, missing)
