"""The service of the home that was open last, started first: it takes longer than everything in the app.

Imports little, since everything waits for it.
"""

from typing import Final

from app.workspace.homes import programs
from app.workspace.homes.last import PROXY_FILE, LastHome
from app.workspace.homes.programs import Program

SYSTEM_PROXY: Final = '{"proxy": {"use": "system"}, "password": ""}\n'
"""What a service is told while nobody has chosen a proxy."""


class ServiceAhead:
    """A service that was started early; opening its home takes it over."""

    def __init__(self, home_id: str, program: Program) -> None:
        self._home_id = home_id
        self._program: Program | None = program

    @classmethod
    def start(cls, home: LastHome | None) -> "ServiceAhead | None":
        """Start the service of a home on this computer that was open before; None where there is none.

        The caller has the data folder. Not where practice platforms have to run first. A proxy that somebody
        has chosen is told by whoever takes the program over; the service waits for that.
        """
        if home is None or not home.is_embedded or home.practice or not home.was_open_before:
            return None
        try:
            service = programs.serve("service", home.folder, home.service_port, programs.PROXY_FROM_STDIN)
        except OSError:
            return None  # it is tried again in its time, and what is wrong is said then
        if not (home.folder.parents[1] / PROXY_FILE).exists():
            service.say(SYSTEM_PROXY)
        return cls(home.id, service)

    def take(self, home_id: str) -> Program | None:
        """Hand the program over to that home; return None for another home."""
        if home_id != self._home_id:
            return None
        program, self._program = self._program, None
        return program

    def stop(self) -> None:
        """End the service if nobody took it over. Blocking."""
        program, self._program = self._program, None
        if program is not None:
            program.stop()
