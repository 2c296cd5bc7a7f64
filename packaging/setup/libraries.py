"""Which of Qt's system libraries are missing on Linux."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from setup.project import VENV

# What Qt is known to load, by the variable that names a screen ("" for none), so that one line names it all
# before the wheels are there. `missing()` asks the wheels themselves.
_KNOWN = {
    "": (
        "libEGL.so.1",
        "libGL.so.1",
        "libbrotlidec.so.1",
        "libdbus-1.so.3",
        "libfontconfig.so.1",
        "libglib-2.0.so.0",
        "libxkbcommon.so.0",
    ),
    "DISPLAY": (
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
    "WAYLAND_DISPLAY": ("libwayland-client.so.0", "libwayland-cursor.so.0"),
}
_MODULES = ("QtCore", "QtDBus", "QtGui", "QtNetwork", "QtSvg", "QtWidgets")
_PLUGINS = ("iconengines", "imageformats", "tls")


def expected_missing(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Sonames that Qt is known to need and the loader does not find, before any wheel is installed."""
    if sys.platform != "linux":
        return []
    screens = [variable for variable in _KNOWN if not variable or variable in environ]
    return [name for variable in screens for name in _KNOWN[variable] if not _loads(name)]


def missing(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Sonames that the installed Qt links (modules, plugins, platforms) and the loader does not find."""
    if sys.platform != "linux":
        return []
    found = {name for path in _linked_files(environ) for name in _unresolved(path)}
    return sorted(found)


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _linked_files(environ: Mapping[str, str]) -> Iterator[Path]:
    for qt in VENV.glob("lib/python3.*/site-packages/PySide6"):
        yield from (qt / f"{module}.abi3.so" for module in _MODULES)
        for folder in _PLUGINS:
            yield from (qt / "Qt/plugins" / folder).glob("*.so")
        platforms = qt / "Qt/plugins/platforms"
        yield platforms / "libqoffscreen.so"
        if "DISPLAY" in environ:
            yield platforms / "libqxcb.so"
        if "WAYLAND_DISPLAY" in environ:
            yield from platforms.glob("libqwayland*.so")


def _unresolved(path: Path) -> list[str]:
    """What `ldd` does not find for one file. Qt's own are not the system's: a plugin may go without."""
    command = ["ldd", str(path)]
    environ = {**os.environ, "LC_ALL": "C"}
    listing = subprocess.run(command, capture_output=True, text=True, check=False, env=environ).stdout
    names = [line.split()[0] for line in listing.splitlines() if line.rstrip().endswith("=> not found")]
    return [name for name in names if not name.startswith("libQt6")]
