"""Starts the service of the last home first, because it takes longer than everything in the app.

Imports little, because everything waits for it.
"""

from typing import Final

from app.workspace.homes import programs
from app.workspace.homes.last import PROXY_FILE, LastHome
from app.workspace.homes.programs import Program

SYSTEM_PROXY: Final = '{"proxy": {"use": "system"}, "password": ""}\n'
"""The line that a service gets while no proxy is chosen."""


class ServiceAhead:
    """A service that was started early. Opening its home takes it over."""

    def __init__(self, home_id: str, program: Program) -> None:
        self._home_id = home_id
        self._program: Program | None = program

    @classmethod
    def start(cls, home: LastHome | None) -> "ServiceAhead | None":
        """Start the service of a home on this computer that was open before; None if there is none.

        The caller holds the data folder. None also if practice platforms have to run first. If a proxy is
        chosen, the service waits until the program that takes it over sends the proxy.
        """
        if home is None or not home.is_embedded or home.practice or not home.was_open_before:
            return None
        try:
            service = programs.serve("service", home.folder, home.service_port, programs.PROXY_FROM_STDIN)
        except OSError:
            return None  # the usual start tries again later, and reports what is wrong
        if not (home.folder.parents[1] / PROXY_FILE).exists():
            service.say(SYSTEM_PROXY)
        return cls(home.id, service)

    def take(self, home_id: str) -> Program | None:
        """Hand the process over to its home; return None for another home."""
        if home_id != self._home_id:
            return None
        program, self._program = self._program, None
        return program

    def stop(self) -> None:
        """End the service if it wasn't taken over. Blocking."""
        program, self._program = self._program, None
        if program is not None:
            program.stop()
