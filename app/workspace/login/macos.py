"""A launch agent of this person, as launchd.plist(5) has it."""

import plistlib
from pathlib import Path
from typing import Any, Final

from app.workspace.login.start import Start

_LABEL: Final = "app.kalends.login"


class MacLogin:
    """``folder`` is the one of launch agents; without it, this person's."""

    def __init__(self, start: Start, folder: Path | None = None) -> None:
        self._start = start
        self._file = (folder or Path.home() / "Library" / "LaunchAgents") / f"{_LABEL}.plist"

    def is_on(self) -> bool:
        """Whether the agent is there, and runs at login. Raises OSError."""
        try:
            kept = plistlib.loads(self._file.read_bytes())
        except (FileNotFoundError, plistlib.InvalidFileException, ValueError):
            return False
        return bool(kept.get("RunAtLoad")) and not kept.get("Disabled")

    def turn_on(self) -> None:
        """From the next login on. Raises OSError."""
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
