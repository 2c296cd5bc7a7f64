"""Publishing to every platform while the service is killed repeatedly and platforms lose responses.

On PostgreSQL, the database can also be restarted, and the network in front of it cut.

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
        "--kill-every", type=float, metavar="S", help="also kill a process at this interval, in s"
    )
    parser.add_argument(
        "--apis", type=int, default=1, metavar="N", help="processes with the API, on postgresql (1)"
    )
    parser.add_argument("--bucket", action="store_true", help="keep files in a stand-in for S3")
    parser.add_argument(
        "--restarts", type=int, default=0, metavar="N", help="restarts of the database, on postgresql (0)"
    )
    parser.add_argument(
        "--cuts", type=int, default=0, metavar="N", help="cuts of the database's network, on postgresql (0)"
    )
    parser.add_argument("--cut-seconds", type=float, default=10.0, metavar="S", help="duration of a cut (10)")
    parser.add_argument("--seconds", type=float, metavar="S", help="duration (10 per disaster, at least 15)")


def run(options: argparse.Namespace) -> Result:
    """Run the storm and print the ledger next to the plan. Returns only the figures."""
    from tests.benchmarks.killstorm.fleet import Shape, opened
    from tests.benchmarks.killstorm.outages import Planned
    from tests.benchmarks.killstorm.plan import Plan
    from tests.benchmarks.killstorm.report import tell
    from tests.benchmarks.killstorm.storm import Ordeal, Storm
    from tests.benchmarks.killstorm.strikes import Disasters
    from tests.postgres import NoPostgresError

    if options.store != "postgresql" and (options.apis > 1 or options.restarts or options.cuts):
        sys.exit("--apis, --restarts and --cuts need --store postgresql.")
    if options.renewals and options.restarts:
        sys.exit("--renewals read from the database, so they can't be combined with --restarts.")
    disasters = Disasters(options.kills, options.stalls, options.refusals, options.renewals)
    outages = Planned(options.restarts, options.cuts, options.cut_seconds)
    apart_s = _SECONDS_PER_KILL * (sum(astuple(disasters)) + outages.count)
    seconds = options.seconds or max(_SHORTEST_S, apart_s + outages.cuts * outages.cut_s)
    plan = Plan.drawn(options.posts, seconds, options.seed)
    shape = Shape(
        options.store,
        options.apis,
        options.bucket,
        fates=Random(options.seed) if options.cuts else None,  # noqa: S311  not for security
        shifts=Random(options.seed) if options.shifts else None,  # noqa: S311
    )
    try:
        with (
            TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            opened(Path(folder), shape) as fleet,
        ):
            verdict = Storm(plan, fleet, Ordeal(disasters, outages, options.kill_every)).rage()
    except NoPostgresError as error:
        sys.exit(f"There is no PostgreSQL to storm on: {error}.")
    tell(options, seconds, verdict)
    return Result(verdict.figures, verdict.besides)


BENCHMARK = Benchmark(
    "killstorm", "publishing to every platform under kills, lost responses and errors", add_options, run
)
