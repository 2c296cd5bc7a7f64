"""Publishing to every platform while older copies of the database are restored, with and without the command.

Afterwards, the accepted publications are compared with the plan, post by post.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.registry import Benchmark, Result


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--posts", type=int, default=1_000, metavar="N", help="posts to schedule, in all rounds (1000)"
    )
    parser.add_argument("--rounds", type=int, default=5, metavar="R", help="copies to restore (5)")
    parser.add_argument("--seconds", type=float, default=20, metavar="S", help="duration of a round (20)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="random seed (1)")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument(
        "--told",
        choices=("always", "never", "both"),
        default="both",
        help="whether to run the restore command after restoring a copy (both)",
    )


def run(options: argparse.Namespace) -> Result:
    """Run the storm and print problems. Returns only the figures."""
    from tests.benchmarks.restorestorm.installations import opened, told
    from tests.benchmarks.restorestorm.storm import Storm
    from tests.postgres import NoPostgresError

    try:
        with (
            TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            opened(Path(folder), options.store) as fleet,
        ):
            ways = [way for way in fleet.ways if options.told in {"both", told(way)}]
            storm = Storm(fleet, ways, seconds=options.seconds, seed=options.seed)
            for number in range(options.rounds):
                storm.rage((options.posts + number) // options.rounds)
            figures = storm.figures()
    except NoPostgresError as error:
        sys.exit(f"There is no PostgreSQL to storm on: {error}.")
    for deviation in storm.deviations:
        print(deviation)
    return Result(figures, storm.besides)


BENCHMARK = Benchmark(
    "restorestorm", "publishing to every platform while older copies are restored", add_options, run
)
