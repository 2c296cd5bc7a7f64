"""Ends the app repeatedly while the user types in its composer."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.benchmarks.registry import Benchmark, Result

_SUMMARY: Final = "kill -9, SIGTERM and closing of the app at random moments while the user writes"
_TELL_EVERY: Final = 10


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ends", type=int, default=1_000, metavar="K", help="number of ends (1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of actions and times (1)")


def run(options: argparse.Namespace) -> Result:
    """End the app ``--ends`` times, and check after each end what the last life left.

    ``late`` counts ends after which more than the last 500 ms before a kill were missing, or anything after
    another end. ``wrong`` counts ends after which something was found that was never on the screen.
    """
    from tests.benchmarks.appkills.world import away, pictures
    from tests.benchmarks.composerkills.storm import Storm
    from tests.benchmarks.samples import percentile

    with TemporaryDirectory(ignore_cleanup_errors=True) as name, away(Path(name)) as world:
        storm = Storm(world.place(""), pictures(Path(name), 3), options.seed)
        for number in range(1, options.ends + 1):
            storm.live_and_die()
            if number % _TELL_EVERY == 0:
                print(f"{number} ends, {len(storm.faults)} faults", file=sys.stderr, flush=True)
        storm.look()
    late = sum("lost" in fault for fault in storm.faults)
    figures = {
        "ends": options.ends,
        "late": late,
        "wrong": len(storm.faults) - late,
        "lost_ms_p50": percentile(storm.ages_ms, 0.5),
        "lost_ms_max": max(storm.ages_ms),
    }
    return Result(figures, {**storm.ends, "typed": storm.typed})


BENCHMARK = Benchmark("composerkills", _SUMMARY, add_options, run)
