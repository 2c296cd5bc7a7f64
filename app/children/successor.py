"""The process that replaces this one after an upgrade, with the same process ID."""

import os
import sys
from typing import Final


class Successor:
    """Requested while this process is running, and started after everything in it has ended."""

    def __init__(self, *command: str) -> None:
        """``command`` is the command line of this process."""
        self._command = command
        self.is_wanted = False

    def ask_for(self, *arguments: str) -> None:
        """Request a restart as the new version, with the same arguments unless others are given."""
        self._command = (*self._command[:1], *(arguments or self._command[1:]))
        self.is_wanted = True

    def take_over(self) -> None:
        """Replace this process if requested. Call this last: it doesn't return then."""
        if not self.is_wanted:
            return
        # Otherwise the bootloader treats the new process as a child that shares the old one's files.
        environment = {**os.environ, "PYINSTALLER_RESET_ENVIRONMENT": "1"}
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os.execve(sys.executable, self._command, environment)  # noqa: S606  our own program


successor: Final = Successor(*sys.argv)
"""Successor of this process. Imported first, while the command line is still unchanged."""
