"""The report of a storm."""

import argparse
from collections import Counter
from typing import Final

from tests.benchmarks.killstorm.fleet import SETTINGS
from tests.benchmarks.killstorm.storm import WEATHER
from tests.benchmarks.killstorm.verdict import Verdict

_COLUMNS: Final = ("posts", "removed", "published", "doubled", "missing", "early", "after_removal", "unknown")
_MOST_LINES: Final = 100


def tell(options: argparse.Namespace, seconds: float, verdict: Verdict) -> None:
    """Print the plan, the ledger next to it, and every deviation."""
    regularly = f" and one every {options.kill_every:g} s" if options.kill_every else ""
    print(
        f"Seed {options.seed}: {options.posts} posts over {seconds:.0f} s on {options.store}, {options.apis}"
        f" API processes, files in a {'bucket' if options.bucket else 'folder'}, {options.kills} kills"
        f"{regularly}, {options.stalls} stalls, {options.refusals} refusals, {options.renewals} kills amid"
        f" renewals, {options.restarts} restarts of the database, {options.cuts} cuts of its network"
        f"{', shifted clocks' if options.shifts else ''}."
    )
    print("Of the platforms' calls: " + ", ".join(f"{name} {share:.1%}" for name, share in WEATHER.items()))
    print("Shortened, in seconds: " + ", ".join(f"{name} {value}" for name, value in SETTINGS.items()))
    print(f"{'':<22}" + "".join(f"{name:>14}" for name in _COLUMNS))
    for (platform, kind), counts in sorted(verdict.counts.items()):
        _print_row(f"{platform.value} {kind.value}", counts)
    _print_row("all", sum(verdict.counts.values(), Counter[str]()))
    for line in verdict.notes:
        print(line)
    for line in verdict.deviations[:_MOST_LINES]:
        print(f"DEVIATION {line}")
    print(f"{len(verdict.deviations)} deviations")


def _print_row(name: str, counts: Counter[str]) -> None:
    print(f"{name:<22}" + "".join(f"{counts[column]:>14}" for column in _COLUMNS))
