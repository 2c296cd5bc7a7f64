"""Links and files to open, from the command line or a second start of the app."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.desktop.shell.window import MainWindow

if TYPE_CHECKING:
    from app.desktop.links import Errand
    from app.desktop.shell.main_controller import MainController
    from app.desktop.single_instance import SingleInstance

_MAX: Final = 20
"""Maximum number of links and files queued until a calendar is open; the latest are kept."""


class Errands:
    """Queues links and files until a calendar is open."""

    def __init__(
        self, data: Path, window: MainWindow, controller: "Callable[[], MainController | None]"
    ) -> None:
        """`controller` returns the open calendar, if any."""
        self._data = data
        self._window = window
        self._controller = controller
        self._waiting: list[Errand] = []

    def listen_for_starts(self, quit_: Callable[[], None]) -> "SingleInstance":
        """Let a second start show the window, hand over things to open, or quit this app."""
        from app.desktop.single_instance import SingleInstance

        instance = SingleInstance(self._data)
        instance.activated.connect(self._window.come_forward)
        instance.handed.connect(self.take)
        instance.quit_asked.connect(quit_)
        instance.open()
        return instance

    def take(self, things: Sequence[str]) -> None:
        """Open links and files, now or once a calendar is open."""
        if not things:
            return
        from app.desktop.links import understood

        controller = self._controller()
        if controller is not None:
            controller.run_errands(understood(things))
        else:
            self._waiting = [*self._waiting, *understood(things)][-_MAX:]

    def run(self, controller: "MainController") -> None:
        """Open the queued links and files."""
        waiting, self._waiting = self._waiting, []
        controller.run_errands(waiting)
