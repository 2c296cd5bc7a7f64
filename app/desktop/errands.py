"""Links and files that this app or a second start of it is to open."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.desktop.shell.window import MainWindow

if TYPE_CHECKING:
    from app.desktop.links import Errand
    from app.desktop.shell.main_controller import MainController
    from app.desktop.single_instance import SingleInstance

_MAX: Final = 20
"""Links and files that wait until a calendar is open; of more the latest."""


class Errands:
    """Keeps what is to be opened until a calendar is open."""

    def __init__(
        self, data: Path, window: MainWindow, controller: "Callable[[], MainController | None]"
    ) -> None:
        """`controller` gives the open calendar, if there is one."""
        self._data = data
        self._window = window
        self._controller = controller
        self._waiting: list[Errand] = []

    def listen_for_starts(self, quit_: Callable[[], None]) -> "SingleInstance":
        """Have a second start bring the window back, hand over what to open, or end this app."""
        from app.desktop.single_instance import SingleInstance

        instance = SingleInstance(self._data)
        instance.activated.connect(self._window.come_forward)
        instance.handed.connect(self.take)
        instance.quit_asked.connect(quit_)
        instance.open()
        return instance

    def take(self, things: Sequence[str]) -> None:
        """Open links and files, now or when a calendar is open."""
        if not things:
            return
        from app.desktop.links import understood

        controller = self._controller()
        if controller is not None:
            controller.run_errands(understood(things))
        else:
            self._waiting = [*self._waiting, *understood(things)][-_MAX:]

    def run(self, controller: "MainController") -> None:
        """Open what has waited."""
        waiting, self._waiting = self._waiting, []
        controller.run_errands(waiting)
