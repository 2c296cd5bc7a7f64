"""Shows notifications: in the window if the user is there, otherwise by the system."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QApplication

from app.desktop.aio import TaskScope
from app.desktop.notices.system import SystemNotices
from app.desktop.shell.window import MainWindow
from app.language import tr
from app.workspace.messages import Message, MessageAction, MessageKind
from app.workspace.notices.notice import News, Notice, NoticeKind

if TYPE_CHECKING:
    from app.desktop.shell.main_controller import MainController

_COME: Final = "come"
_KINDS: Final[dict[NoticeKind, MessageKind]] = {NoticeKind.FAILED: "error", NoticeKind.RECONNECT: "warning"}


def is_in_front() -> bool:
    """Whether the person is at a window of ours."""
    return QApplication.activeWindow() is not None


def is_seen(controller: "MainController", news: News) -> bool:
    """Whether what happened shows in a window that the person is at; uploads always do, in its foot."""
    if not is_in_front():
        return False
    if news.kind is NoticeKind.UPLOADED:
        return True
    if news.kind is NoticeKind.RECONNECT:
        return controller.is_built("connections") and controller.connections.isVisible()
    if (side := controller.window.side) is not None:
        from app.desktop.inspector import Inspector  # it brings the composer with it

        if isinstance(side, Inspector) and side.key == news.key:
            return True
    return not news.missed and controller.calendar.isVisible() and controller.calendar.shows(news.key)


class Teller:
    """Follows one calendar at a time."""

    def __init__(self, window: MainWindow, beside: Callable[[Notice], bool] | None = None) -> None:
        """The callback shows a notification if the system's service doesn't, and returns whether it could."""
        self._window = window
        self._beside = beside
        self._preferences = window.preferences
        self._system = SystemNotices(self._act)
        self._scope = TaskScope(window)
        self._controller: MainController | None = None
        self._stop: Callable[[], None] = lambda: None

    def follow(self, controller: "MainController") -> None:
        """Tells of what happens in a calendar from now on."""
        self.leave()
        self._controller = controller
        self._stop = controller.workspace.notices.listen(self._tell, self._leave_out, self._is_quiet)

    def leave(self) -> None:
        """Tells nothing any more."""
        self._stop()
        self._stop = lambda: None
        self._controller = None

    async def close(self) -> None:
        """Takes back what is shown."""
        self.leave()
        self._scope.cancel()
        await self._system.close()

    async def try_out(self) -> bool:
        """Shows what a notification looks like, and says whether the system did."""
        title, text = (
            tr("This is a test notification"),
            tr("Kalends tells you here what happened while you were away."),
        )
        action = MessageAction(tr("Open Kalends"), _COME)
        return await self._system.show(Notice(NoticeKind.PUBLISHED, title, text, action))

    def _leave_out(self, news: News) -> bool:
        controller = self._controller
        return controller is None or not self._preferences.wants(news.kind) or is_seen(controller, news)

    def _is_quiet(self) -> bool:
        """Whether notifications wait; at the window nobody is woken by them."""
        now = datetime.now(self._window.zone).time()
        return self._preferences.quiet_hours.include(now) and not is_in_front()

    def _tell(self, notice: Notice) -> None:
        if is_in_front():
            self.say(notice)
        else:
            self._scope.start(self._send(notice))

    async def _send(self, notice: Notice) -> None:
        shown = await self._system.show(notice)
        if not shown and (self._beside is None or not self._beside(notice)):
            self.say(notice)

    def say(self, notice: Notice) -> None:
        """Says it in the window."""
        kind = _KINDS.get(notice.kind, "info")
        text = "\n".join(filter(None, (notice.title, notice.text)))
        self._window.messages.tell(Message(kind, text, action=notice.action))

    def _act(self, action: MessageAction) -> None:
        self._window.come_forward()
        if self._controller is not None:
            self._controller.act(action)
