"""The command: contenders, their order, and the results."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.benchmarks.calendar import ablation, beside, screen
from tests.benchmarks.calendar.stage import Stage
from tests.benchmarks.registry import Benchmark, Result, not_installed, step

_SUMMARY: Final = "the calendar with many posts over two years, compared with FullCalendar and GNOME Calendar"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--posts", type=int, default=10_000, metavar="N", help="posts over two years (10000)")
    parser.add_argument(
        "--beside",
        nargs="*",
        choices=beside.NAMES,
        default=beside.NAMES,
        help="what to measure besides the month, each in its own process (all)",
    )
    parser.add_argument("--brief", action="store_true", help="repeat each action only a few times")
    parser.add_argument(
        "--without",
        type=lambda names: names.split(","),
        default=[],
        metavar="NAME,...",
        help=f"what our own calendar does without, to see what it earns: {', '.join(ablation.NAMES)}",
    )


def run(options: argparse.Namespace) -> Result:
    """Measure the month first, in its own process, then the other parts on the same screen."""
    with TemporaryDirectory(prefix="kalends-calendar-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        with screen.opened(scratch) as shown:
            stage = Stage(scratch, shown, options.posts, options.without, options.brief)
            with step(f"month, {options.posts:,} posts"):
                month = stage.pane("month")
            besides = dict(month["besides"])
            for part in options.beside:
                with step(f"{part}, {options.posts:,} posts"):
                    besides |= beside.measure(part, stage)
    return Result(month["named"], besides)


def missing(options: argparse.Namespace) -> Iterator[str]:
    """Yield the programs that the requested parts need and this machine lacks."""
    if screen.is_lacking():
        yield "There is no Xvfb here: the calendar paints into memory, and gnome can't take part."
    for part in options.beside:
        yield from not_installed(part, beside.PROGRAMS.get(part, ()))


BENCHMARK = Benchmark("calendar", _SUMMARY, add_options, run, missing)
