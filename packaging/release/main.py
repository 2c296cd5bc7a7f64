"""The commands of `packaging/build.py`."""

import argparse
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from setup.project import ROOT, SetupError

from release import feed, freeze, gate, image, linux, macos, sums, windows

COMMANDS: Final[Mapping[str, Callable[[], Path]]] = {
    "freeze": freeze.make,
    "deb": linux.make_deb,
    "rpm": linux.make_rpm,
    "appdir": linux.make_appdir,
    "appimage": linux.make_appimage,
    "nsis": windows.make_nsis,
    "dmg": macos.make_dmg,
    "selftest": gate.check,
    "image": image.make,
    "notices": sums.make_notices,
    "sources": sums.make_sources,
    "sbom": sums.make_sbom,
    "sums": sums.make_sums,
}


def main(arguments: Sequence[str]) -> int:
    """Run the commands in the given order and return the exit code."""
    if arguments and arguments[0] in feed.COMMANDS:
        return feed.main(arguments)
    parser = argparse.ArgumentParser(prog="build.py", description="Build releases in dist/.")
    parser.add_argument("commands", nargs="+", choices=COMMANDS, metavar="|".join(COMMANDS))
    parser.add_argument("--quick", action="store_true", help="compress less, for testing")
    options = parser.parse_args(arguments)
    try:
        for command in dict.fromkeys(options.commands):
            made = linux.make_deb(quick=True) if command == "deb" and options.quick else COMMANDS[command]()
            print(f"Built {made.relative_to(ROOT)}", flush=True)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"Failed: {' '.join(map(str, error.cmd))}", file=sys.stderr)
        return 1
    return 0
