"""Fuzz the API: ``python -m tests.fuzzing [--examples N]``, with 50 examples per operation by default."""

import argparse
import sys
import tempfile
from pathlib import Path

from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from tests.fuzzing.run import fuzz
from tests.fuzzing.target import target


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("--examples", type=int, default=50, help="examples per operation and phase (50)")
    options = parser.parse_args()
    worst = 0
    with tempfile.TemporaryDirectory() as folder, target(Path(folder)) as service:
        for prefix in (API_PREFIX, COMPANION_PREFIX):
            code, report = fuzz(service, prefix, options.examples, Path(folder))
            print(report)
            worst = max(worst, code)
    return worst


if __name__ == "__main__":
    sys.exit(main())
