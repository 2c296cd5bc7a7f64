"""An upgrade replaced the app while it runs: it offers a restart, and restarts by itself in the tray.

Nothing is lost by a restart: what is being written is kept as it is typed, and the service of this computer
ends between two posts.
"""

import asyncio
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from app.children.replaced import ProgramFile
from app.children.successor import Successor
from app.desktop.background import RESTART
from app.desktop.options import parse
from app.desktop.shell.window import MainWindow
from app.language import tr
from app.workspace.clock import wall_clock
from app.workspace.messages import Message, MessageAction

if TYPE_CHECKING:
    from app.desktop.shell.main_controller import MainController

_LATER: Final = "restart_later"
_ABOUT: Final = "replaced"
_LOOK_MS: Final = 10_000
_CLEAR_MS: Final = 60_000
"""No post may be due for so long after a restart that nobody asked for."""


class Replacement(QObject):
    """Watches for another version in our place."""

    restart_wanted = Signal()
    """Now is the time. The successor is asked for already."""

    def __init__(self, window: MainWindow, program: ProgramFile | None, successor: Successor) -> None:
        super().__init__(window)
        self._window = window
        self._program = program
        self._successor = successor
        self._controller: MainController | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_replaced = False
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self.restart_if_quiet)
        window.restart_wanted.connect(self.restart)

    def follow(self, controller: "MainController | None") -> None:
        """Watch while a calendar is open; begins with the first one."""
        self._controller = controller
        if self._program is not None and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._watch(self._program))
        elif controller is not None and self._is_replaced:
            self._offer()  # the calendar before took its message with it

    def end(self) -> None:
        """Watch no longer."""
        self._look.stop()
        if self._task is not None:
            self._task.cancel()

    def restart(self) -> None:
        """End, for the new version to take over with the window as it is now."""
        self._successor.ask_for(*_arguments(hidden=not self._window.isVisible()))
        self.restart_wanted.emit()

    def restart_if_quiet(self) -> None:
        """Restart if nobody sees it and no post waits for it."""
        if self._is_replaced and not self._window.isVisible() and not self._is_post_near():
            self.restart()

    async def _watch(self, program: ProgramFile) -> None:
        await program.until_replaced()
        self._is_replaced = True
        self._offer()
        self._look.start()
        self.restart_if_quiet()

    def _offer(self) -> None:
        text = tr("Kalends was updated. Restart it to use the new version. Your drafts are saved.")
        yes, no = MessageAction(tr("Restart now"), RESTART), MessageAction(tr("Later"), _LATER)
        self._window.messages.tell(Message("info", text, action=yes, other=no, about=_ABOUT))

    def _is_post_near(self) -> bool:
        if self._controller is None:
            return False
        now = wall_clock()
        coming = self._controller.workspace.posts.next_scheduled(now)
        return coming is not None and coming.at - now < _CLEAR_MS


def _arguments(*, hidden: bool) -> list[str]:
    """Our own, without the links and files that were opened, and with the window as it is."""
    given = parse(None)
    arguments = ["--data", str(given.data)]
    if given.elsewhere is not None:
        url, key_file = given.elsewhere
        arguments += ["--service-url", url, "--key-file", str(key_file)]
    return [*arguments, "--hidden"] if hidden else arguments
