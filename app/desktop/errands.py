"""Links and files that this app or a second start of it is to open."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.desktop.shell.window import MainWindow

if TYPE_CHECKING:
    from app.desktop.door import Door
    from app.desktop.links import Errand
    from app.desktop.shell.house import House

_MAX: Final = 20
"""Links and files that wait until a calendar is open; of more the latest."""


class Errands:
    """Keeps what is to be opened until a calendar is open."""

    def __init__(self, data: Path, window: MainWindow, house: "Callable[[], House | None]") -> None:
        """`house` gives the open calendar, if there is one."""
        self._data = data
        self._window = window
        self._house = house
        self._waiting: list[Errand] = []

    def open_door(self, quit_: Callable[[], None]) -> "Door":
        """Have a second start bring the window back, hand over what to open, or end this app."""
        from app.desktop.door import Door

        door = Door(self._data)
        door.knocked.connect(self._window.come_forward)
        door.handed.connect(self.take)
        door.quit_asked.connect(quit_)
        door.open()
        return door

    def take(self, things: Sequence[str]) -> None:
        """Open links and files, now or when a calendar is open."""
        if not things:
            return
        from app.desktop.links import understood

        house = self._house()
        if house is not None:
            house.run_errands(understood(things))
        else:
            self._waiting = [*self._waiting, *understood(things)][-_MAX:]

    def run(self, house: "House") -> None:
        """Open what has waited."""
        waiting, self._waiting = self._waiting, []
        house.run_errands(waiting)
