"""The process that takes the place of this one after an upgrade, with the same process id."""

import os
import sys
from typing import Final


class Successor:
    """Asked for while this process works, started when everything here has ended."""

    def __init__(self, *command: str) -> None:
        """``command`` is this process's own command line."""
        self._command = command
        self.is_wanted = False

    def ask_for(self, *arguments: str) -> None:
        """Have the new version take over, with our own arguments if none are given."""
        self._command = (*self._command[:1], *(arguments or self._command[1:]))
        self.is_wanted = True

    def take_over(self) -> None:
        """Become the successor if one is wanted. Call it last: nothing of this process goes on."""
        if not self.is_wanted:
            return
        # Without this the bootloader takes the new process for a child that shares the old one's files.
        environment = {**os.environ, "PYINSTALLER_RESET_ENVIRONMENT": "1"}
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os.execve(sys.executable, self._command, environment)  # noqa: S606  ourselves


successor: Final = Successor(*sys.argv)
"""Of this process. Imported first, so that the command line is still what was given."""
