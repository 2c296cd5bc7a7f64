"""Publishing to every platform while the service is killed repeatedly and platforms lose responses.

Afterwards, the accepted publications are compared with the plan, post by post.
"""

import argparse
import sys
from dataclasses import astuple
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from tests.benchmarks.registry import Benchmark, Result

_SECONDS_PER_KILL: Final = 10.0
_SHORTEST_S: Final = 15.0


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--posts", type=int, default=1_000, metavar="N", help="posts to schedule (1000)")
    parser.add_argument("--kills", type=int, default=40, metavar="K", help="number of killed processes (40)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="random seed (1)")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument(
        "--stalls",
        type=int,
        default=0,
        metavar="N",
        help="times a worker stalls for longer than its lease (0)",
    )
    parser.add_argument(
        "--refusals", type=int, default=0, metavar="N", help="times a platform refuses some calls (0)"
    )
    parser.add_argument(
        "--renewals", type=int, default=0, metavar="N", help="kills during token renewals (0)"
    )
    parser.add_argument("--shifts", action="store_true", help="give processes clocks that are off by an hour")
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="duration (10 per kill or stall, at least 15)"
    )


def run(options: argparse.Namespace) -> Result:
    """Run the storm and print the ledger next to the plan. Returns only the figures."""
    from tests.benchmarks.killstorm.fleet import opened
    from tests.benchmarks.killstorm.plan import Plan
    from tests.benchmarks.killstorm.report import tell
    from tests.benchmarks.killstorm.storm import Storm
    from tests.benchmarks.killstorm.strikes import Disasters
    from tests.postgres import NoPostgresError

    disasters = Disasters(options.kills, options.stalls, options.refusals, options.renewals)
    seconds = options.seconds or max(_SHORTEST_S, _SECONDS_PER_KILL * sum(astuple(disasters)))
    plan = Plan.drawn(options.posts, seconds, options.seed)
    try:
        with (
            TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            opened(Path(folder), options.store, Random(options.seed) if options.shifts else None) as fleet,  # noqa: S311
        ):
            verdict = Storm(plan, fleet, disasters).rage()
    except NoPostgresError as error:
        sys.exit(f"There is no PostgreSQL to storm on: {error}.")
    tell(options, seconds, verdict)
    return Result(verdict.figures, verdict.besides)


BENCHMARK = Benchmark(
    "killstorm", "publishing to every platform under kills, lost responses and errors", add_options, run
)
