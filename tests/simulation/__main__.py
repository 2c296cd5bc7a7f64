"""Run simulations: ``python -m tests.simulation ROOM --seed S --runs N`` prints a report."""

import argparse
import itertools
import math
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.simulation.accounts.world import ROOM as ACCOUNTS
from tests.simulation.faults import Kind, read_rates
from tests.simulation.media.world import ROOM as MEDIA
from tests.simulation.publishing.world import ROOM as PUBLISHING
from tests.simulation.reduce import MOST_RUNS, Reduction, as_test
from tests.simulation.report import Report
from tests.simulation.room import Outcome, Room
from tests.simulation.suite import quiet
from tests.simulation.webhooks.world import ROOM as WEBHOOKS
from tests.simulation.workspace.world import ROOM as WORKSPACE

ROOMS: Final[Mapping[str, Room[Any]]] = {
    room.name: room for room in (ACCOUNTS, MEDIA, PUBLISHING, WEBHOOKS, WORKSPACE)
}

_COUNT: Final = 400
_SEEDS: Final = 10**9


def main() -> int:
    """Plays the runs; 1 when a rule was broken."""
    options = _parser().parse_args()
    room = ROOMS[options.room]
    report, first = Report(room), None
    rates = None if options.faults is None else read_rates(options.faults, room.rates)
    seed = secrets.randbelow(_SEEDS) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    with quiet():
        for number in _runs(options):
            try:
                outcome = room.play(room.script(seed + number, options.posts, rates))
            except Exception as error:
                error.add_note(f"Seed {seed + number} stopped here.")
                raise
            report.add(outcome)
            for breach in outcome.breaches:
                print(f"seed {outcome.script.seed}: {breach}", flush=True)
            if outcome.breaches and first is None:
                first = outcome
        print(report.text())
        if first is not None:
            _explain(room, first, options)
    if options.json:
        print(report.line())
    return 1 if first is not None or report.unforeseen else 0


def _runs(options: argparse.Namespace) -> Iterator[int]:
    """The numbers of the runs, as many as were asked for or fit into the time."""
    if options.seconds is None:
        yield from range(options.runs)
        return
    began = time.process_time()
    for number in itertools.count():
        if time.process_time() - began >= options.seconds:
            return
        yield number


def _explain(room: Room[Any], outcome: Outcome[Any], options: argparse.Namespace) -> None:
    seed, seconds = outcome.script.seed, options.seconds
    print(f"\nSeed {seed} failed. Its least form, as a test:\n", flush=True)
    reduction = Reduction(room, outcome, math.inf if seconds is None else seconds)
    print(as_test(reduction.reduce()))
    if reduction.is_cut_short and seconds is None:
        print(f"Not reduced further after {MOST_RUNS} runs.")
    elif reduction.is_cut_short:
        command = f"python -m tests.simulation {room.name} --seed {seed} --runs 1 --posts {options.posts}"
        print(f"Reduced for {seconds:g} s only. To go on: {command}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("room", choices=sorted(ROOMS))
    parser.add_argument("--seed", type=int, help="seed of the first run; a new one without")
    parser.add_argument("--runs", type=int, default=4, help="number of runs (4)")
    parser.add_argument(
        "--seconds", type=float, help="play for so long instead, in time of one core, and reduce no longer"
    )
    parser.add_argument(
        "--posts", type=int, default=_COUNT, help="posts per run, or events, files, edits or renewals"
    )
    kinds = ", ".join(kind.value for kind in Kind)
    parser.add_argument(
        "--faults", help=f"name=rate,...: only these faults; all=2 doubles the usual rates. {kinds}"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON last")
    return parser


if __name__ == "__main__":
    sys.exit(main())
