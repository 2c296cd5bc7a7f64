"""The report of a storm."""

import argparse
from collections import Counter
from typing import Final

from tests.benchmarks.killstorm.fleet import SETTINGS
from tests.benchmarks.killstorm.storm import WEATHER
from tests.benchmarks.killstorm.verdict import Verdict

_COLUMNS: Final = ("posts", "removed", "published", "doubled", "missing", "early", "unknown")
_MOST_LINES: Final = 100


def tell(options: argparse.Namespace, seconds: float, verdict: Verdict) -> None:
    """Print the plan, the ledger next to it, and every deviation."""
    print(
        f"Seed {options.seed}: {options.posts} posts over {seconds:.0f} s on {options.store},"
        f" {options.kills} kills, {options.stalls} stalls, {options.refusals} refusals,"
        f" {options.renewals} kills amid renewals{', shifted clocks' if options.shifts else ''}."
    )
    print("Of the platforms' calls: " + ", ".join(f"{name} {share:.1%}" for name, share in WEATHER.items()))
    print("Shortened, in seconds: " + ", ".join(f"{name} {value}" for name, value in SETTINGS.items()))
    print(f"{'':<22}" + "".join(f"{name:>10}" for name in _COLUMNS))
    for (platform, kind), counts in sorted(verdict.counts.items()):
        _print_row(f"{platform.value} {kind.value}", counts)
    _print_row("all", sum(verdict.counts.values(), Counter[str]()))
    for line in verdict.deviations[:_MOST_LINES]:
        print(f"DEVIATION {line}")
    print(f"{len(verdict.deviations)} deviations")


def _print_row(name: str, counts: Counter[str]) -> None:
    print(f"{name:<22}" + "".join(f"{counts[column]:>10}" for column in _COLUMNS))
