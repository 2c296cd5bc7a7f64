"""Kills the app repeatedly while all of its writing features are in use, with the real service."""

import argparse
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.benchmarks.registry import Benchmark, Result

_SUMMARY: Final = "kill -9 of the app at random moments during use"
_ROUND: Final = 25


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, default=1_000, metavar="K", help="number of kills (1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of actions and times (1)")
    parser.add_argument(
        "--frozen",
        type=Path,
        metavar="FOLDER",
        help="frozen app, dist/kalends: kill its window, its service, or both while posts are due",
    )
    parser.add_argument("--embedded", action="store_true", help="with the embedded service")


def run(options: argparse.Namespace) -> Result:
    """Kill the app ``--kills`` times, and check after each kill what earlier lives left.

    A write is accepted when the app shows that nothing is left to save. After each round, everything is sent,
    the service is compared, and the next round starts with a new folder. Raises AssertionError with the first
    thing that differs from what was accepted.
    """
    if options.frozen is not None:
        return _frozen(options)
    from tests.benchmarks.appkills.storm import Storm
    from tests.benchmarks.appkills.world import away, here

    accepted = cut_short = refused = things = 0
    make = here if options.embedded else away
    with TemporaryDirectory(ignore_cleanup_errors=True) as name, make(Path(name)) as world:
        for start in range(0, options.kills, _ROUND):
            storm = Storm(world, options.seed + start, f"{options.seed}r{start}")
            for _ in range(min(_ROUND, options.kills - start)):
                storm.live_and_die()
            storm.settle()
            accepted, cut_short = accepted + storm.accepted, cut_short + storm.cut_short
            refused, things = refused + storm.refused, things + len(storm.known)
            done = min(start + _ROUND, options.kills)
            print(f"{done} kills, {accepted} accepted", file=sys.stderr, flush=True)
    figures = {"kills": options.kills, "accepted": accepted, "lost": 0, "doubled": 0}
    return Result(figures, {"things": things, "cut_short": cut_short, "refused": refused})


def _frozen(options: argparse.Namespace) -> Result:
    from tests.benchmarks.appkills.frozen import FrozenStorm

    command = (str(options.frozen.absolute() / "kalends"),)
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        chance = random.Random(options.seed)  # noqa: S311  not for security
        storm = FrozenStorm(command, Path(name) / "data", chance)
        figures = storm.run(options.kills)
    kept = ("kills", "published", "lost", "doubled", "late_s_p50", "late_s_max")
    return Result(
        {name: figures[name] for name in kept},
        {name: value for name, value in figures.items() if name not in kept},
    )


BENCHMARK = Benchmark("appkills", _SUMMARY, add_options, run)
