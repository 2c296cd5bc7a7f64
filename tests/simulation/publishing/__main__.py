"""Within how many posts each planted fault is found: ``python -m tests.simulation.publishing --seed 1 2``."""

import argparse
import sys

from tests.simulation.faults import read_rates
from tests.simulation.publishing.planted import PLANTED, SHARED, Plant
from tests.simulation.publishing.world import ROOM
from tests.simulation.suite import found_within, quiet


def main() -> int:
    """Print a table with a row for each fault; 1 if one wasn't found."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.publishing", description=__doc__)
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="the first run's (1)")
    parser.add_argument("--only", nargs="+", default=[one.__name__ for one in PLANTED], metavar="FAULT")
    options = parser.parse_args()
    are_found = True
    with quiet():
        for plant, rates in PLANTED.items():
            if plant.__name__ in options.only:
                found = [_found(plant, rates, seed) for seed in options.seed]
                are_found = are_found and None not in found
                cells = [plant.__name__, f"`{rates}`", *("-" if one is None else one for one in found)]
                print(f"| {' | '.join(cells)} |", flush=True)
    return 0 if are_found else 1


def _found(plant: Plant, rates: str, seed: int) -> str | None:
    with plant():
        found = found_within(ROOM, read_rates(rates), seed=seed, workers=3 if plant in SHARED else None)
    return None if found is None else f"{found[0]} ({found[1]})"


if __name__ == "__main__":
    sys.exit(main())
