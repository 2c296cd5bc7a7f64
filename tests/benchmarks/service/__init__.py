"""The service compared with a bare FastAPI echo of the same bodies over TLS, in separate processes."""

import argparse
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tests.benchmarks.registry import Benchmark, Result
from tests.benchmarks.samples import percentile

if TYPE_CHECKING:
    from tests.benchmarks.service.world import Server

_LIST_CONNECTIONS: Final = 16
_CREATE_CONNECTIONS: Final = 64


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--posts", type=int, default=1_000_000, metavar="N", help="stored posts (1000000)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds, alternating (5)")
    parser.add_argument(
        "--seconds", type=float, default=3, metavar="S", help="duration of one measurement (3)"
    )


def run(options: argparse.Namespace) -> Result:
    """Measure the servers in turn and return medians. The query is timed separately first.

    The ratios compare with an echo that returns objects and leaves JSON to FastAPI. ``besides`` has ratios to
    an echo that returns prepared bytes, the minimum for a request.
    """
    from tests.benchmarks.service.world import World

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        world = World(Path(folder), options.posts)
        queries = [world.query_milliseconds() for _ in range(options.rounds)]
        with world.serving() as service, world.echoing(service) as echo:
            turns = ((service, "/posts"), (echo, "/posts"), (echo, "/bytes"))

            def listing(server: "Server", path: str) -> float:
                requests = world.list_requests(server, path)
                return server.per_second(requests, _LIST_CONNECTIONS, options.seconds, "200")

            def creating(server: "Server", path: str) -> float:
                requests = world.create_requests(server, path)
                return server.per_second(requests, _CREATE_CONNECTIONS, options.seconds, "201")

            lists, echo_lists, byte_lists = _medians(listing, turns, options.rounds)
            creates, echo_creates, byte_creates = _medians(creating, turns, options.rounds)
    return Result(
        {
            "list_ratio": lists / echo_lists,
            "create_ratio": creates / echo_creates,
            "list_query_ms_p99": _median_percentile(queries, 0.99),
        },
        {
            "list_ratio_to_ready_bytes": lists / byte_lists,
            "create_ratio_to_ready_bytes": creates / byte_creates,
            "list_per_s": lists,
            "create_per_s": creates,
            "list_query_ms_p50": _median_percentile(queries, 0.5),
        },
    )


def _medians(
    measure: "Callable[[Server, str], float]", turns: "Sequence[tuple[Server, str]]", rounds: int
) -> list[float]:
    """Return the median of each turn; every round takes each turn once."""
    measured = [[measure(server, path) for server, path in turns] for _ in range(rounds)]
    return [statistics.median(of_one) for of_one in zip(*measured, strict=True)]


def _median_percentile(rounds: Sequence[Sequence[float]], share: float) -> float:
    return statistics.median(percentile(samples, share) for samples in rounds)


BENCHMARK = Benchmark(
    "service",
    "lists and durable creation, compared with a bare FastAPI echo in the same run",
    add_options,
    run,
)
