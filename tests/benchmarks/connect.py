"""Time from the consent in a real browser until the app's window shows the account."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.registry import Benchmark, Result, not_installed
from tests.benchmarks.samples import percentile


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=8, metavar="N", help="accounts to connect (8)")


def run(options: argparse.Namespace) -> Result:
    """Connect accounts of one platform, one after the other, with clicks in the window and in Chromium.

    Measures from releasing the mouse button on "Allow" until the account's card is painted.
    """
    from tests.real_browser.owner import owner

    if any(missing(options)):
        sys.exit(1)
    taken = []
    with TemporaryDirectory() as folder, owner(Path(folder)) as robin:
        for number in range(1, options.rounds + 1):
            page = robin.begin("LinkedIn")
            page.go(f"{page.url}&account=round-{number}")
            page = robin.browser.page(f"account=round-{number}")
            taken.append(robin.allow(page, f"Round {number} on linkedin") * 1_000)
            robin.desk.until(lambda: robin.desk.ask("sheet") is None)
            page.close()
    figures = {"connect_ms_p50": percentile(taken, 0.5), "connect_ms_max": max(taken)}
    return Result(figures, {"first_ms": taken[0]})


def missing(_options: argparse.Namespace) -> Iterator[str]:
    return not_installed("connect", ("Xvfb", "xdotool", "dbus-daemon", "chromium"))


_SUMMARY = "connecting an account in a real browser, until the app shows it"
BENCHMARK = Benchmark("connect", _SUMMARY, add_options, run, missing)
