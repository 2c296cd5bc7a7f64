"""A separate screen, so that every contender paints to the same kind."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_WIDTH: Final = 2_880
_HEIGHT: Final = 1_800
_PATIENCE_S: Final = 10


@dataclass(frozen=True, slots=True)
class Screen:
    """``environment`` is for programs; ``picture`` is the file with its pixels, None without an X server."""

    environment: Mapping[str, str]
    picture: Path | None


def is_lacking() -> bool:
    """Whether there is no X server for a separate screen."""
    return not sys.platform.startswith("linux") or shutil.which("Xvfb") is None


@contextlib.contextmanager
def opened(scratch: Path) -> Iterator[Screen]:
    """Run an X server without a monitor; without one, use Qt's offscreen platform."""
    if is_lacking():
        yield Screen({**os.environ, "QT_QPA_PLATFORM": "offscreen"}, None)
        return
    size = f"{_WIDTH}x{_HEIGHT}x24"
    command = ["Xvfb", "-screen", "0", size, "-fbdir", str(scratch), "-nolisten", "tcp", "-displayfd", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            display = f":{server.stdout.readline().strip()}"
            plain = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
            environment = {**plain, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
            yield Screen(environment, scratch / "Xvfb_screen0")
        finally:
            server.terminate()
            server.wait(_PATIENCE_S)
