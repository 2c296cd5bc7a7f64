"""What a bundle doesn't need, though the libraries that it comes with would bring it."""

from fnmatch import fnmatchcase
from typing import Final

MODULES: Final = [
    *("tkinter", "_tkinter", "unittest", "pydoc", "doctest", "lib2to3", "ensurepip", "idlelib", "turtle"),
    *("IPython", "matplotlib", "pytest", "setuptools", "pip", "wheel", "pkg_resources"),
    # Of servers alone; they are imported only where a server's settings ask for them.
    *("boto3", "botocore", "obstore", "psycopg", "psycopg2", "asyncpg", "redis"),
    *("sqlalchemy.dialects.mysql", "sqlalchemy.dialects.mssql", "sqlalchemy.dialects.oracle"),
    *("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtTest", "PySide6.QtSql", "PySide6.QtQml"),
    *("PySide6.QtQuick", "PySide6.QtQuickWidgets", "PySide6.QtUiTools", "PySide6.QtDesigner"),
    *("PIL.ImageTk", "PIL.ImageQt", "PIL._imagingtk", "PIL._imagingft"),
    # structlog shows tracebacks with these where somebody reads a log in a terminal.
    *("rich", "pygments", "markdown_it", "mdurl"),
]
"""Names for PyInstaller's ``excludes``."""

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
"""By folder, what the names of Qt's plugins begin with: screens without a window system, formats that no
platform takes. Empty for the whole folder."""

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
    # Only plugins that were left out needed these.
    *("libgtk-3", "libgdk*", "libcups", "libgnutls", "libavahi*", "libp11*", "libunistring", "libcairo*"),
    *("libpango*", "libatk*", "libatspi", "libepoxy", "libthai", "libdatrie", "libharfbuzz*", "libfribidi"),
    *("libtiff", "libjbig", "libdeflate"),
    # Every desktop has its own: drivers of the graphics card and spelling meet them in the same process.
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

Entry = tuple[str, str, str]
"""Of PyInstaller's tables: the place in the bundle, the file it is copied from, its kind."""


def kept(entries: list[Entry]) -> list[Entry]:
    """The entries that go into the bundle."""
    return [entry for entry in entries if _is_needed(entry[0].replace("\\", "/"))]


def _is_needed(place: str) -> bool:
    folder, _, name = place.rpartition("/")
    if folder.endswith(("Qt/translations", "PySide6/translations")):
        return name in _TRANSLATIONS
    for plugins, beginnings in _PLUGINS.items():
        if folder.endswith(f"plugins/{plugins}"):
            return not name.removeprefix("lib").startswith(beginnings)
    if any(fnmatchcase(name, f"{prefix}Qt6{part}.*") for prefix in ("", "lib") for part in _QT):
        return False
    return bool(folder) or not any(fnmatchcase(name, f"{library}.so*") for library in _LEFT_TO_THE_SYSTEM)
