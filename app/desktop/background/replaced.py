"""Detects that an upgrade replaced the running app, and offers a restart; in the tray, it restarts by itself.

A restart loses nothing: drafts are saved while typing, and the service of this computer ends between posts.
"""

import asyncio
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from app.children.replaced import ProgramFile
from app.children.successor import Successor
from app.desktop.background import RESTART
from app.desktop.background.unsent import leaves_behind, unless_left_behind
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
    """Checks whether another version was installed."""

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
        """Start checking when the first calendar is opened."""
        self._controller = controller
        if self._program is not None and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._watch(self._program))
        elif controller is not None and self._is_replaced:
            self._offer()  # the calendar before took its message with it

    def end(self) -> None:
        """Stop checking."""
        self._look.stop()
        if self._task is not None:
            self._task.cancel()

    def restart(self) -> None:
        """End, so that the new version starts with the current window state; ask first if anything is lost.

        Changes are sent after the restart.
        """
        unless_left_behind(self._window, self._controller, self._restart, runs_here=True)

    def _restart(self) -> None:
        self._successor.ask_for(*_arguments(hidden=not self._window.isVisible()))
        self.restart_wanted.emit()

    def restart_if_quiet(self) -> None:
        """Restart if no window is visible, no post is due, and nothing would be lost."""
        is_lossless = not leaves_behind(self._controller, runs_here=True)
        is_quiet = is_lossless and not self._window.isVisible() and not self._is_post_near()
        if self._is_replaced and is_quiet:
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
        if text not in self._window.messages.texts():
            self._window.messages.tell(Message("info", text, action=yes, other=no, about=_ABOUT))

    def _is_post_near(self) -> bool:
        if self._controller is None:
            return False
        now = wall_clock()
        coming = self._controller.workspace.posts.next_scheduled(now)
        return coming is not None and coming.at - now < _CLEAR_MS


def _arguments(*, hidden: bool) -> list[str]:
    """Return our own arguments without opened links and files, and with the window's state."""
    given = parse(None)
    arguments = ["--data", str(given.data)]
    if given.elsewhere is not None:
        url, key_file = given.elsewhere
        arguments += ["--service-url", url, "--key-file", str(key_file)]
    return [*arguments, "--hidden"] if hidden else arguments
