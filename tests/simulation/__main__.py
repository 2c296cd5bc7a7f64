"""``python -m tests.simulation ROOM --seed S --runs N``: a report for people; with --json one line last."""

import argparse
import sys
from collections.abc import Mapping
from typing import Final

import structlog

from tests.simulation.faults import RATES, Kind, read_rates
from tests.simulation.publishing.plan import draw
from tests.simulation.publishing.world import Outcome, Script, play
from tests.simulation.reduce import Reduction, as_test
from tests.simulation.report import Report

_POSTS: Final = 400


def main() -> int:
    """Plays the runs; 1 when a rule was broken."""
    options = _parser().parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    rates = RATES if options.faults is None else options.faults
    report, first = Report(), None
    for number in range(options.runs):
        outcome = play(script(options.seed + number, options.posts, rates))
        report.add(outcome)
        for breach in outcome.breaches:
            print(f"seed {outcome.script.seed}: {breach}", flush=True)
        if outcome.breaches and first is None:
            first = outcome
    print(report.text())
    if first is not None:
        _explain(first)
    if options.json:
        print(report.line())
    return 1 if first is not None or report.unforeseen else 0


def script(seed: int, posts: int, rates: Mapping[Kind, float] = RATES) -> Script:
    """The script of a seed: every third one has three programs at once."""
    workers = 3 if seed % 3 == 0 else 1
    return Script(seed, draw(seed, posts), rates, workers)


def _explain(outcome: Outcome) -> None:
    print(f"\nSeed {outcome.script.seed} failed. Its least form, as a test:\n", flush=True)
    print(as_test(Reduction(outcome).reduce()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("room", choices=["publishing"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--posts", type=int, default=_POSTS, help="posts of each run")
    kinds = ", ".join(kind.value for kind in Kind)
    parser.add_argument(
        "--faults", type=read_rates, help=f"name=rate,...: those alone; all=2 doubles the usual ones. {kinds}"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON last")
    return parser


if __name__ == "__main__":
    sys.exit(main())
