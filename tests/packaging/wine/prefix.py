"""An isolated Windows in a folder: Wine with an empty registry, stopped at the end of the block."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from typing import Final

TOOLS: Final = ("wine", "wineserver", "makensis", "x86_64-w64-mingw32-gcc")
_STEP_S: Final = 240


def missing() -> list[str]:
    """Return the missing programs. Debian: wine wine64 nsis gcc-mingw-w64-x86-64."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


class Prefix:
    """Runs Windows programs; ``c`` is the folder of drive C:."""

    def __init__(self, folder: Path) -> None:
        self._started: list[subprocess.Popen[bytes]] = []
        self.c = folder / "prefix" / "drive_c"
        home = folder / "home"
        home.mkdir(parents=True)
        self._environ = {
            **{name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")},
            "HOME": str(home),
            "USER": "ines",
            "LC_ALL": "C.UTF-8",
            "WINEPREFIX": str(folder / "prefix"),
            "WINEDEBUG": "-all",
            # No menu entries on this computer, and no question for .NET or a browser.
            "WINEDLLOVERRIDES": "winemenubuilder.exe,mscoree,mshtml=",
        }

    @property
    def local(self) -> Path:
        """The folder of %LOCALAPPDATA%."""
        return self.c / "users" / "ines" / "AppData" / "Local"

    @property
    def roaming(self) -> Path:
        """The folder of %APPDATA%."""
        return self.c / "users" / "ines" / "AppData" / "Roaming"

    def path(self, windows: str) -> Path:
        r"""Return the local path of a Windows path such as `C:\folder`."""
        return self.c.joinpath(*PureWindowsPath(windows).parts[1:])

    def start(self, *command: str, **environ: str) -> "subprocess.Popen[bytes]":
        """Start a program without waiting."""
        nothing = subprocess.DEVNULL
        process = subprocess.Popen(
            ["wine", *command],
            env={**self._environ, **environ},
            cwd=self._environ["HOME"],
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
        )
        self._started.append(process)
        return process

    def run(self, *command: str, **environ: str) -> int:
        """Run a program and return its exit code."""
        return self.start(*command, **environ).wait(_STEP_S)

    def registry(self) -> str:
        """Return this user's registry, as exported by regedit."""
        exported = self.c / "exported.reg"
        self.run("reg", "export", "HKCU\\Software", "C:\\exported.reg", "/y")
        return exported.read_text("utf-16")

    def boot(self) -> None:
        """Create the drive and the registry."""
        self.run("wineboot", "-i")

    def end(self) -> None:
        """End every program in it."""
        subprocess.run(["wineserver", "-k"], env=self._environ, check=False, timeout=_STEP_S)
        subprocess.run(["wineserver", "-w"], env=self._environ, check=False, timeout=_STEP_S)
        for process in self._started:
            process.wait(_STEP_S)


@contextmanager
def booted(folder: Path) -> Iterator[Prefix]:
    """Create a Windows in an empty ``folder``."""
    prefix = Prefix(folder)
    try:
        prefix.boot()
        yield prefix
    finally:
        prefix.end()


def value(registry: str, key: str, name: str = "") -> str | None:
    """Return a string of an exported registry; None if it's missing. ``key`` is below HKEY_CURRENT_USER."""
    _, found, rest = registry.partition(f"[HKEY_CURRENT_USER\\{key}]\n")
    return _values(rest.partition("\n[")[0]).get(name) if found else None


def _values(section: str) -> Mapping[str, str]:
    """Return the names and texts in a section. The default value has no name. Numbers stay as written."""
    found = {}
    for line in section.splitlines():
        name, equals, text = line.partition("=")
        if equals:
            found["" if name == "@" else _unquoted(name)] = _unquoted(text)
    return found


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text
