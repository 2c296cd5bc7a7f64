"""Search for slow input: ``python -m tests.fuzzing.busy requests --seed 1 --count 500``.

Prints the worst input, and fails above the limit.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Final

from tests.fuzzing.busy import answers, platforms, requests
from tests.fuzzing.busy.findings import Findings

_SHOWN: Final = 12
RUNS: Final[Mapping[str, tuple[Callable[[int, int], Findings], float]]] = {
    "requests": (requests.fuzz, 50.0),
    "platforms": (platforms.fuzz, 50.0),
    "answers": (answers.fuzz, 100.0),
}
"""The runs, with the maximum time that each may block the loop, in ms."""
_MOST_MB: Final = 100.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing.busy", description=__doc__)
    parser.add_argument("run", choices=RUNS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500, help="number of inputs (500)")
    options = parser.parse_args()
    fuzz, longest_ms = RUNS[options.run]
    found = fuzz(options.seed, options.count)
    for one in found.worst(_SHOWN):
        print(one)
    print(
        f"worst {found.worst_ms:.1f} ms of {longest_ms:.0f}, {found.most_mb:.1f} MB added of {_MOST_MB:.0f}"
    )
    return int(found.worst_ms > longest_ms or found.most_mb > _MOST_MB)


if __name__ == "__main__":
    sys.exit(main())
