"""The service beside a bare FastAPI echo of the same bodies, over TLS, each as a process of its own."""

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
    parser.add_argument("--posts", type=int, default=1_000_000, metavar="N", help="posts stored (1000000)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds, taken in turn (5)")
    parser.add_argument("--seconds", type=float, default=3, metavar="S", help="length of one measurement (3)")


def run(options: argparse.Namespace) -> Result:
    """Alternates between the two servers and takes medians; the query is timed before, by itself."""
    from tests.benchmarks.service.world import World

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        world = World(Path(folder), options.posts)
        queries = [world.query_milliseconds() for _ in range(options.rounds)]
        with world.serving() as service, world.echoing(service) as echo:
            lists = world.list_requests(service)
            creates = [service.request("POST", "/posts", world.create_body())]

            def listing(server: "Server") -> float:
                return server.per_second(lists, _LIST_CONNECTIONS, options.seconds, "200")

            def creating(server: "Server") -> float:
                return server.per_second(creates, _CREATE_CONNECTIONS, options.seconds, "201")

            list_service, list_echo = _alternate(listing, service, echo, options.rounds)
            create_service, create_echo = _alternate(creating, service, echo, options.rounds)
    return Result(
        {
            "list_ratio": list_service / list_echo,
            "create_ratio": create_service / create_echo,
            "list_query_ms_p99": _median_percentile(queries, 0.99),
        },
        {
            "list_per_s": list_service,
            "echo_list_per_s": list_echo,
            "create_per_s": create_service,
            "echo_create_per_s": create_echo,
            "list_query_ms_p50": _median_percentile(queries, 0.5),
        },
    )


def _alternate(
    measure: "Callable[[Server], float]", service: "Server", echo: "Server", rounds: int
) -> tuple[float, float]:
    """Medians of the service and of the echo."""
    measured = [(measure(service), measure(echo)) for _ in range(rounds)]
    return statistics.median(pair[0] for pair in measured), statistics.median(pair[1] for pair in measured)


def _median_percentile(rounds: Sequence[Sequence[float]], share: float) -> float:
    return statistics.median(percentile(samples, share) for samples in rounds)


BENCHMARK = Benchmark(
    "service", "lists and durable creations beside a bare FastAPI echo, in one run", add_options, run
)
