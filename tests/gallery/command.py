"""The command: which scenes in which looks go where, and what went wrong."""

import gc
import logging
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import structlog
from PIL import Image
from PySide6.QtWidgets import QApplication

from app.desktop import qt_language
from tests.gallery.options import Options
from tests.gallery.scene import MOCKUP, SMALL, Scene, find
from tests.gallery.showing import Failure, show
from tests.gallery.stage import Look, Mode, run

Showing = tuple[Scene, Look, str]
"""A scene, a look, and the name of the file without its ending."""

_SCREENSHOTS: tuple[tuple[str, Mode, str], ...] = (
    ("month", "light", "month"),
    ("week", "dark", "week-dark"),
    ("composer", "light", "composer"),
    ("connections", "light", "connections"),
    ("analytics", "light", "analytics"),
    ("media", "light", "media"),
    ("webhooks", "dark", "webhooks-dark"),
)
"""What the README shows: scene, theme, file."""
GUIDE: tuple[str, ...] = (
    "welcome",
    "month",
    "week",
    "composer",
    "drafts",
    "media",
    "connections",
    "bluesky-handle",
    "bluesky-sheet",
    "setup",
    "analytics",
    "history",
    "usage",
    "webhooks",
    "settings-data",
    "palette",
    "warnings",
)
"""The scenes that the user guide shows; each gives its name to a picture."""
_GUIDE_WIDTH = 800


def main(options: Options) -> int:
    """Shows the scenes; returns 1 when one failed."""
    wanted = _guide() if options.guide else _screenshots() if options.screenshots else _wanted(options.only)
    if not wanted:
        sys.stderr.write(f"There is no scene {options.only!r}. There are: {', '.join(find())}\n")
        return 2
    # Calls that are tried again are part of the scenes; errors are noticed by each showing.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    app = QApplication(["kalends-gallery"])
    qt_language.speak(app)
    gc.freeze()  # what is imported stays; only what scenes leave is looked through
    started = time.monotonic()
    failures = take(app, options.out, wanted)
    if options.guide:
        for _scene, _look, name in wanted:
            _shrink(options.out / f"{name}.png")
    for failure in failures:
        sys.stderr.write(f"{failure}\n")
    done = len(wanted) - len({(failure.scene, failure.look) for failure in failures})
    print(f"{done} of {len(wanted)} pictures in {options.out}, {time.monotonic() - started:.0f} s")
    return 1 if failures else 0


def take(app: QApplication, folder: Path, wanted: Iterable[Showing]) -> list[Failure]:
    """Takes pictures one after the other, and says which could not be taken."""
    folder.mkdir(parents=True, exist_ok=True)
    failures: list[Failure] = []

    async def work() -> None:
        for scene, look, name in wanted:
            failures.extend(await show(scene, look, folder / f"{name}.png"))

    run(app, work())
    return failures


def _wanted(only: str | None) -> list[Showing]:
    """The scene of that name, or all whose names begin with it."""
    scenes = find()
    chosen = [scene for name, scene in scenes.items() if only is None or name.startswith(only)]
    exact = [scenes[only]] if only in scenes else chosen
    return [(scene, look, f"{scene.name}-{look}") for scene in exact for look in scene.looks()]


def _screenshots() -> list[Showing]:
    scenes = find()
    return [(scenes[scene], Look(mode, MOCKUP), name) for scene, mode, name in _SCREENSHOTS]


def _guide() -> list[Showing]:
    scenes = find()
    return [(scenes[name], Look("light", SMALL), name) for name in GUIDE]


def _shrink(file: Path) -> None:
    """Make a picture small enough to ship: as wide as the guide shows it, in a palette of its own."""
    with Image.open(file) as whole:
        height = round(whole.height * _GUIDE_WIDTH / whole.width)
        small = whole.convert("RGB").resize((_GUIDE_WIDTH, height), Image.Resampling.LANCZOS)
    small.quantize(palette=_palette(small), dither=Image.Dither.NONE).save(file, optimize=True)


def _palette(picture: Image.Image) -> Image.Image:
    """Return 256 colours: median cut tells greys apart, and an octree keeps the colours of small marks."""
    ways = ((192, Image.Quantize.MEDIANCUT), (64, Image.Quantize.FASTOCTREE))
    colours = [picture.quantize(most, way).getpalette("RGB") or [] for most, way in ways]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for found in colours for part in found])
    return palette
