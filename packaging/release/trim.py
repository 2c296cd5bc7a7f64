"""What to leave out of a bundle, although libraries would include it."""

from fnmatch import fnmatchcase
from typing import Final

MODULES: Final = [
    *("tkinter", "_tkinter", "unittest", "pydoc", "doctest", "lib2to3", "ensurepip", "idlelib", "turtle"),
    *("IPython", "matplotlib", "pytest", "setuptools", "pip", "wheel", "pkg_resources"),
    # Only for servers; imported only if a server's settings need them.
    *("boto3", "botocore", "obstore", "psycopg", "psycopg2", "asyncpg", "redis"),
    *("sqlalchemy.dialects.mysql", "sqlalchemy.dialects.mssql", "sqlalchemy.dialects.oracle"),
    *("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtTest", "PySide6.QtSql", "PySide6.QtQml"),
    *("PySide6.QtQuick", "PySide6.QtQuickWidgets", "PySide6.QtUiTools", "PySide6.QtDesigner"),
    *("PIL.ImageTk", "PIL.ImageQt", "PIL._imagingtk", "PIL._imagingft"),
    # structlog uses these for tracebacks in a terminal.
    *("rich", "pygments", "markdown_it", "mdurl"),
]
"""PyInstaller's ``excludes``."""

_PLUGINS: Final = {
    "platforms": ("qeglfs", "qlinuxfb", "qvnc", "qvkkhrdisplay", "qminimalegl"),
    "imageformats": ("qtiff", "qicns", "qtga", "qwbmp", "qpdf"),
    "platformthemes": ("qgtk3",),
    "egldeviceintegrations": ("",),
    "generic": ("",),
    "printsupport": ("",),
    "qmltooling": ("",),
    "sqldrivers": ("",),
    "virtualkeyboard": ("",),
}
"""Prefixes of Qt plugins to leave out, by folder; empty for the whole folder.

These are screens without a window system, and formats that no platform accepts.
"""

_QT: Final = (
    "Sql",
    "Test",
    "OpenGLWidgets",
    "Qml*",
    "Quick*",
    "Pdf*",
    "EglFs*",
    "EglFS*",
    "VirtualKeyboard*",
)
_LEFT_TO_THE_SYSTEM: Final = (
    # Only needed by excluded plugins.
    *("libgtk-3", "libgdk*", "libcups", "libgnutls", "libavahi*", "libp11*", "libunistring", "libcairo*"),
    *("libpango*", "libatk*", "libatspi", "libepoxy", "libthai", "libdatrie", "libharfbuzz*", "libfribidi"),
    *("libtiff", "libjbig", "libdeflate"),
    # Part of glibc, whose libraries only work together.
    "libmvec",
    # With the libraries of systemd, compression and encryption that it links.
    "libdbus-1",
    # Use the system's own: graphics drivers and spelling libraries load them into the same process.
    *(
        "libwayland-*",
        "libstdc++",
        "libgcc_s",
        "libglib-2.0",
        "libgio-2.0",
        "libgobject-2.0",
        "libgmodule-2.0",
    ),
    *("libgthread-2.0", "libfontconfig", "libfreetype", "libX11", "libX11-xcb", "libxcb", "libexpat", "libz"),
)
_TRANSLATIONS: Final = ("qtbase_de.qm", "qtbase_en.qm")
_SOURCES: Final = (".po", ".pot")
"""Suffixes of the translations' sources. The app reads the compiled ones."""

Entry = tuple[str, str, str]
"""A PyInstaller table entry: path in the bundle, source file, type."""


def kept(entries: list[Entry]) -> list[Entry]:
    """Return the entries that go into the bundle."""
    return [entry for entry in entries if _is_needed(entry[0].replace("\\", "/"))]


def _is_needed(place: str) -> bool:
    folder, _, name = place.rpartition("/")
    if name.endswith(_SOURCES):
        return False
    if folder.endswith(("Qt/translations", "PySide6/translations")):
        return name in _TRANSLATIONS
    for plugins, beginnings in _PLUGINS.items():
        if folder.endswith(f"plugins/{plugins}"):
            return not name.removeprefix("lib").startswith(beginnings)
    if any(fnmatchcase(name, f"{prefix}Qt6{part}.*") for prefix in ("", "lib") for part in _QT):
        return False
    return bool(folder) or not any(fnmatchcase(name, f"{library}.so*") for library in _LEFT_TO_THE_SYSTEM)
