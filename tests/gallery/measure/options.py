"""What the command line asks for; read before anything else is imported."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from app.language import LANGUAGES

SIZES = (100, 125, 150, 200)
"""Sizes of text, in percent, at which nothing may be cut off."""


@dataclass(frozen=True, slots=True)
class Options:
    """Which scenes are measured, at which sizes of text, in which language."""

    only: tuple[str, ...]
    sizes: tuple[int, ...]
    quick: bool
    language: str


def read(arguments: Sequence[str]) -> Options:
    """Exits with a sentence when the arguments make no sense."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.gallery.measure",
        description="Contrast of every text in both themes, and what is cut off at larger sizes of text.",
    )
    parser.add_argument("--only", metavar="NAME", nargs="+", default=[], help="scene names or prefixes")
    parser.add_argument("--sizes", metavar="PERCENT", nargs="*", type=int, choices=SIZES)
    parser.add_argument(
        "--quick", action="store_true", help="one window per scene, at 100 and 200 %%: a third of the time"
    )
    parser.add_argument("--language", choices=sorted(LANGUAGES), default="en")
    found = parser.parse_args(arguments)
    usual = (SIZES[0], SIZES[-1]) if found.quick else SIZES
    sizes = usual if found.sizes is None else tuple(found.sizes)
    return Options(tuple(found.only), sizes, found.quick, found.language)
