"""What the command line asks for; read before anything else is imported."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.language import LANGUAGES


@dataclass(frozen=True, slots=True)
class Options:
    """Where the pictures go, and which are wanted."""

    out: Path
    only: str | None
    screenshots: bool
    guide: bool
    language: str


def read(arguments: Sequence[str]) -> Options:
    """Exits with a sentence when the arguments make no sense."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.gallery", description="Every screen and state as PNG."
    )
    parser.add_argument("out", type=Path, help="folder for the screenshots")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--only", metavar="NAME", help="a scene, or all scenes with this prefix")
    choice.add_argument("--screenshots", action="store_true", help="only the screenshots in the README")
    choice.add_argument("--guide", action="store_true", help="only the small screenshots in the user guide")
    parser.add_argument("--language", choices=sorted(LANGUAGES), default="en")
    found = parser.parse_args(arguments)
    return Options(found.out, found.only, found.screenshots, found.guide, found.language)
