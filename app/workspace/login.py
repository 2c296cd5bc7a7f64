"""Starts Kalends at login, with one small file or value where each system documents it."""

import os
import plistlib
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

import app
from app.children import is_frozen

_DESKTOP_FILE: Final = "kalends.desktop"
_RESERVED: Final = re.compile(r'["`$\\]')
_OFF: Final = re.compile(r"^(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$", re.MULTILINE)
_LABEL: Final = "app.kalends.login"
KEY: Final = r"Software\Microsoft\Windows\CurrentVersion\Run"
_VALUE: Final = "Kalends"


@dataclass(frozen=True, slots=True)
class Start:
    """A command, and the folder that it has to run in; None if any will do."""

    command: tuple[str, ...]
    folder: Path | None = None


def start(options: Sequence[str]) -> Start:
    """Return the command of this installation: the program, its script, or Python in a checkout."""
    if is_frozen():
        # An AppImage is mounted in a folder that is gone at the next login; this is its file.
        return Start((os.environ.get("APPIMAGE") or sys.executable, *options))
    script = Path(sys.executable).with_name("kalends.exe" if sys.platform == "win32" else "kalends")
    if script.exists():
        return Start((str(script), *options))
    return Start((sys.executable, "-m", "app", *options), Path(app.__file__).parents[1])


class LinuxLogin:
    """An autostart entry after freedesktop.org's specification. ``folder`` defaults to the user's."""

    def __init__(self, start: Start, folder: Path | None = None) -> None:
        self._start = start
        self._file = (folder or _usual_folder()) / _DESKTOP_FILE

    def is_on(self) -> bool:
        """Whether the entry exists and isn't disabled elsewhere. Raises OSError."""
        try:
            return not _OFF.search(self._file.read_text("utf-8", "replace"))
        except FileNotFoundError:
            return False

    def turn_on(self) -> None:
        """Raises OSError."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".part")
        part.write_text(self._entry(), "utf-8")
        part.replace(self._file)

    def turn_off(self) -> None:
        """Raises OSError."""
        self._file.unlink(missing_ok=True)

    def _entry(self) -> str:
        lines = [
            "[Desktop Entry]",
            "Type=Application",
            "Name=Kalends",
            "Comment=Publishes what is planned",
            "Icon=kalends",
            f"Exec={' '.join(map(_quoted, self._start.command))}",
            "Terminal=false",
            "StartupNotify=false",
        ]
        if self._start.folder is not None:
            lines.append(f"Path={_escaped(str(self._start.folder))}")
        return "\n".join([*lines, ""])


def _usual_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "autostart"


def _quoted(argument: str) -> str:
    """Return an argument of Exec: quoted, ``%`` doubled, and escaped like any value."""
    quoted = _RESERVED.sub(r"\\\g<0>", argument).replace("%", "%%")
    return _escaped(f'"{quoted}"')


def _escaped(value: str) -> str:
    """Return a value of a desktop entry, which is one line."""
    escapes = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return "".join(escapes.get(each, each) for each in value)


class MacLogin:
    """A launch agent after launchd.plist(5). ``folder`` defaults to the user's."""

    def __init__(self, start: Start, folder: Path | None = None) -> None:
        self._start = start
        self._file = (folder or Path.home() / "Library" / "LaunchAgents") / f"{_LABEL}.plist"

    def is_on(self) -> bool:
        """Whether the agent exists and runs at login. Raises OSError."""
        try:
            kept = plistlib.loads(self._file.read_bytes())
        except (FileNotFoundError, plistlib.InvalidFileException, ValueError):
            return False
        return bool(kept.get("RunAtLoad")) and not kept.get("Disabled")

    def turn_on(self) -> None:
        """Start Kalends from the next login on. Raises OSError."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".part")
        part.write_bytes(plistlib.dumps(self._agent()))
        part.replace(self._file)

    def turn_off(self) -> None:
        """Raises OSError."""
        self._file.unlink(missing_ok=True)

    def _agent(self) -> dict[str, Any]:
        agent = {
            "Label": _LABEL,
            "ProgramArguments": list(self._start.command),
            "RunAtLoad": True,
            "ProcessType": "Interactive",
            "LimitLoadToSessionType": "Aqua",
        }
        return agent | ({"WorkingDirectory": str(self._start.folder)} if self._start.folder else {})


class WindowsLogin:
    """A value below the user's Run key. ``registry`` is the module ``winreg``, which only Windows has."""

    def __init__(self, start: Start, registry: Any = None) -> None:
        self._start = start
        self._registry = registry or import_module("winreg")

    def is_on(self) -> bool:
        """Whether the value exists. Raises OSError."""
        registry = self._registry
        try:
            with registry.OpenKey(registry.HKEY_CURRENT_USER, KEY) as key:
                registry.QueryValueEx(key, _VALUE)
        except FileNotFoundError:
            return False
        return True

    def turn_on(self) -> None:
        """Raises OSError."""
        registry = self._registry
        with registry.CreateKey(registry.HKEY_CURRENT_USER, KEY) as key:
            command = subprocess.list2cmdline(self._start.command)
            registry.SetValueEx(key, _VALUE, 0, registry.REG_SZ, command)

    def turn_off(self) -> None:
        """Raises OSError."""
        registry = self._registry
        try:
            with registry.OpenKey(registry.HKEY_CURRENT_USER, KEY, 0, registry.KEY_SET_VALUE) as key:
                registry.DeleteValue(key, _VALUE)
        except FileNotFoundError:
            return


class LoginItem(Protocol):
    """Reads the disk each time, because other programs change it too. Every method raises OSError."""

    def is_on(self) -> bool: ...
    def turn_on(self) -> None: ...
    def turn_off(self) -> None: ...


def login_item(data: Path, usual: Path, system: str = sys.platform) -> LoginItem | None:
    """Return how to start Kalends in the tray with the data folder ``data``; ``usual`` is the default one.

    None on other systems, and for a checkout on Windows, whose Run key can't set a folder.
    """
    how = start(("--hidden", *(() if data == usual else ("--data", str(data)))))
    match system:
        case "darwin":
            return MacLogin(how)
        case "win32" if how.folder is None:
            return WindowsLogin(how)
        case "linux":
            return LinuxLogin(how)
    return None
