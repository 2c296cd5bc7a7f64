"""Links and files to open, from the command line or a second start of the app."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.language import tr
from app.workspace.messages import Message

if TYPE_CHECKING:
    from app.desktop.links import Errand
    from app.desktop.shell.main_controller import MainController
    from app.desktop.shell.window import MainWindow
    from app.desktop.single_instance import SingleInstance

THINGS_MAX: Final = 1_000
"""Maximum number of links and files that are opened together."""
_LINKS_MAX: Final = 20
"""Maximum number of links opened together; the latest are kept."""


class Errands:
    """Queues links and files until a calendar is open."""

    def __init__(
        self, data: Path, window: "MainWindow", controller: "Callable[[], MainController | None]"
    ) -> None:
        """`controller` returns the open calendar, if any."""
        self._data = data
        self._window = window
        self._controller = controller
        self._waiting: list[str] = []
        self._unanswered: list[Errand] = []

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
        # One beyond the limit, which shows that there were more.
        self._waiting = [*self._waiting, *things][: THINGS_MAX + 1]
        if (controller := self._controller()) is not None:
            self.run(controller)

    def ask_again(self, unanswered: "Iterable[Errand]") -> None:
        """Ask about links in the calendar that opens next, because the one that asked closed."""
        self._unanswered += unanswered

    def run(self, controller: "MainController") -> None:
        """Open the queued links and files; files form one request, also if each came alone."""
        unanswered, self._unanswered = self._unanswered, []
        controller.run_errands(unanswered)
        if not self._waiting:
            return
        from app.desktop.links import AddFiles, understood

        things, self._waiting = self._waiting, []
        if len(things) > THINGS_MAX:
            text = tr(
                "Only the first {n} files and links were opened. Open the others separately.", n=THINGS_MAX
            )
            self._window.messages.tell(Message("warning", text))
        errands = understood(things[:THINGS_MAX])
        files = [errand for errand in errands if isinstance(errand, AddFiles)]
        links = [errand for errand in errands if not isinstance(errand, AddFiles)]
        controller.run_errands([*links[-_LINKS_MAX:], *files])
