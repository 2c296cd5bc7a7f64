"""The app's workspace, killed again and again while it is being used, beside the real service."""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.benchmarks.registry import Benchmark, Result

_SUMMARY: Final = "kill -9 of the app's workspace at random moments while it is being used"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, default=1_000, metavar="K", help="how often to kill (1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of what is done and when (1)")


def run(options: argparse.Namespace) -> Result:
    """Forks a life, kills it at a random moment, and looks in the next one what is left of it.

    A write is accepted when the workspace says that nothing is left to save. Raises AssertionError with the
    first post that is not as it was accepted.
    """
    from tests.benchmarks.appkills.storm import Storm
    from tests.benchmarks.service.world import World

    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        world = World(folder / "service", 20)
        with world.serving() as server:
            storm = Storm(server, folder / "workspace.db", options.seed)
            storm.settle()
            for _ in range(options.kills):
                storm.live_and_die()
            missing, doubled = storm.settle()
    figures = {"kills": options.kills, "accepted": storm.accepted, "lost": missing, "doubled": doubled}
    return Result(figures, {"posts": len(storm.known), "cut_short": storm.cut_short})


BENCHMARK = Benchmark("appkills", _SUMMARY, add_options, run)
