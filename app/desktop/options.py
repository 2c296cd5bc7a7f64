"""The command line of the desktop app, and the default data folder."""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from app.children import is_frozen

PORTABLE_MARK: Final = "portable.txt"
"""Marks a portable copy, for example on a USB stick; it's next to the executable."""


def usual_data() -> Path:
    """Return this user's data folder; for a portable copy, the folder next to its executable."""
    if is_portable():
        return Path(sys.executable).parent / "kalends-data"
    return platformdirs.user_data_path("kalends", appauthor=False)


def is_portable() -> bool:
    """Whether this is a portable copy."""
    return is_frozen() and Path(sys.executable).with_name(PORTABLE_MARK).is_file()


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line."""

    data: Path
    elsewhere: tuple[str, Path] | None
    selftest: bool
    hidden: bool
    things: tuple[str, ...]
    quits: bool = False


def parse(arguments: list[str] | None) -> Options:
    """Parse the command line; exits with a message if it's invalid."""
    parser = argparse.ArgumentParser(prog="kalends", description="Plan social posts on a calendar.")
    parser.add_argument("--data", type=Path, help="data folder")
    parser.add_argument("--service-url", help="URL of a service on another computer")
    parser.add_argument("--key-file", type=Path, help="file with the API key for that service")
    parser.add_argument(
        "--selftest", action="store_true", help="connect, schedule, move and publish a post, then exit"
    )
    parser.add_argument("--hidden", action="store_true", help="start in the tray, as at login")
    parser.add_argument(
        "--quit", action="store_true", help="quit the running app and wait until it has ended"
    )
    parser.add_argument("things", nargs="*", metavar="LINK or FILE", help="what to open, such as an image")
    found = parser.parse_args(arguments)
    if (found.service_url is None) != (found.key_file is None):
        parser.error("--service-url and --key-file go together")
    data = found.data or (_passing_data() if found.selftest else usual_data())
    elsewhere = (found.service_url, found.key_file.absolute()) if found.key_file else None
    return Options(
        data.absolute(),
        elsewhere,
        found.selftest,
        found.hidden,
        tuple(map(_complete, found.things)),
        found.quit,
    )


def _complete(thing: str) -> str:
    """Return an absolute path, because another process may open it."""
    return thing if "://" in thing else str(Path(thing).absolute())


def _passing_data() -> Path:
    return Path(tempfile.mkdtemp(prefix="kalends-selftest-"))
