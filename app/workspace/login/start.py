"""How Kalends is started from outside."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import app
from app.children import is_frozen


@dataclass(frozen=True, slots=True)
class Start:
    """A command; ``folder`` is where it has to be run, None where that does not matter."""

    command: tuple[str, ...]
    folder: Path | None = None


def start(options: Sequence[str]) -> Start:
    """The command for this installation: the program itself, its script, or Python in a checkout."""
    if is_frozen():
        # An AppImage is mounted in a folder that is gone at the next login; its file is named here.
        return Start((os.environ.get("APPIMAGE") or sys.executable, *options))
    script = Path(sys.executable).with_name("kalends.exe" if sys.platform == "win32" else "kalends")
    if script.exists():
        return Start((str(script), *options))
    return Start((sys.executable, "-m", "app", *options), Path(app.__file__).parents[1])
