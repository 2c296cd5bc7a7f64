"""Missing system libraries of Qt on Linux, for each kind of screen."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from setup.project import VENV

_IS_LINUX = sys.platform.startswith("linux")
# Libraries that Qt loads for each kind of screen, to list all of them before the wheels are installed.
# `missing()` inspects the wheels themselves.
_KNOWN = {
    "offscreen": (
        "libEGL.so.1",
        "libGL.so.1",
        "libbrotlidec.so.1",
        "libdbus-1.so.3",
        "libfontconfig.so.1",
        "libglib-2.0.so.0",
        "libxkbcommon.so.0",
    ),
    "X11": (
        "libX11-xcb.so.1",
        "libxcb-cursor.so.0",
        "libxcb-icccm.so.4",
        "libxcb-image.so.0",
        "libxcb-keysyms.so.1",
        "libxcb-randr.so.0",
        "libxcb-render-util.so.0",
        "libxcb-shape.so.0",
        "libxcb-xkb.so.1",
        "libxkbcommon-x11.so.0",
    ),
    "Wayland": ("libwayland-client.so.0", "libwayland-cursor.so.0"),
}
_PLATFORM_PLUGINS = {"offscreen": "libqoffscreen.so", "X11": "libqxcb.so", "Wayland": "libqwayland*.so"}
_MODULES = ("QtCore", "QtDBus", "QtGui", "QtNetwork", "QtSvg", "QtWidgets")
_PLUGINS = ("iconengines", "imageformats", "tls")


SCREENS = tuple(_KNOWN)


def expected_missing(screens: Iterable[str]) -> list[str]:
    """Return the sonames that Qt needs and the loader can't find, before any wheel is installed.

    Args:
        screens: Names from `SCREENS`; "offscreen" is always included.
    """
    if not _IS_LINUX:
        return []
    wanted = dict.fromkeys(("offscreen", *screens))
    return [name for screen in wanted for name in _KNOWN[screen] if not _loads(name)]


def missing(screens: Iterable[str]) -> list[str]:
    """Return the sonames that the installed Qt links and the loader can't find.

    Args:
        screens: Names from `SCREENS`; "offscreen" is always included.
    """
    if not _IS_LINUX:
        return []
    return sorted({name for path in _linked_files(("offscreen", *screens)) for name in _unresolved(path)})


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _linked_files(screens: Iterable[str]) -> Iterator[Path]:
    for qt in VENV.glob("lib/python3.*/site-packages/PySide6"):
        yield from (qt / f"{module}.abi3.so" for module in _MODULES)
        for folder in _PLUGINS:
            yield from (qt / "Qt/plugins" / folder).glob("*.so")
        for screen in dict.fromkeys(screens):
            yield from (qt / "Qt/plugins/platforms").glob(_PLATFORM_PLUGINS[screen])


def _unresolved(path: Path) -> list[str]:
    """Return what `ldd` can't find for a file, except Qt's own libraries: plugins may lack those."""
    command = ["ldd", str(path)]
    environ = {**os.environ, "LC_ALL": "C"}
    listing = subprocess.run(command, capture_output=True, text=True, check=False, env=environ).stdout
    names = [line.split()[0] for line in listing.splitlines() if line.rstrip().endswith("=> not found")]
    return [name for name in names if not name.startswith("libQt6")]
