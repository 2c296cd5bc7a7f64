"""An entry in ``autostart``, as freedesktop.org's Desktop Application Autostart Specification has it."""

import os
import re
from pathlib import Path
from typing import Final

from app.workspace.login.start import Start

_NAME: Final = "kalends.desktop"
_RESERVED: Final = re.compile(r'["`$\\]')
_OFF: Final = re.compile(r"^(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$", re.MULTILINE)


class LinuxLogin:
    """``folder`` is the one of autostart; without it, this person's."""

    def __init__(self, start: Start, folder: Path | None = None) -> None:
        self._start = start
        self._file = (folder or _usual_folder()) / _NAME

    def is_on(self) -> bool:
        """Whether the entry is there, and nobody turned it off elsewhere. Raises OSError."""
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
    """One argument of Exec: in quotes, ``%`` doubled, and all of it escaped as any value is."""
    quoted = _RESERVED.sub(r"\\\g<0>", argument).replace("%", "%%")
    return _escaped(f'"{quoted}"')


def _escaped(value: str) -> str:
    """A value of a desktop entry, which is one line."""
    escapes = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return "".join(escapes.get(each, each) for each in value)
