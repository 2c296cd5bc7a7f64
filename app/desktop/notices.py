"""Shows notifications: in the window if the user is there, otherwise through the system."""

import asyncio
import contextlib
import html
import unicodedata
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

import structlog
from PySide6.QtWidgets import QApplication

from app import resources
from app.desktop.aio import TaskScope
from app.desktop.shell.window import MainWindow
from app.language import tr
from app.workspace.messages import Message, MessageAction, MessageKind
from app.workspace.notices.notice import WITHOUT_WINDOW, News, Notice, NoticeKind

if TYPE_CHECKING:
    from desktop_notifier.backends.base import DesktopNotifierBackend

    from app.desktop.shell.main_controller import MainController

_PATIENCE_S: Final = 10.0
"""Timeout for the system's service, in seconds: D-Bus may take a few to start it, and it may hang."""
_CONSENT_S: Final = 60.0
"""Timeout for the user's permission, in seconds, which macOS asks for once."""
_GO: Final = "go"

_log = structlog.get_logger(__name__)


class SystemNotices:
    """Shows notifications, each with its action. Its libraries are loaded in the background when needed."""

    def __init__(self, act: Callable[[MessageAction], None]) -> None:
        """``act`` is called in the window's thread with the action of a clicked notification."""
        self._act = act
        self._center: DesktopNotifierBackend | None = None
        self._reads_markup = False
        self._turn = asyncio.Lock()

    async def show(self, notice: Notice) -> bool:
        """Return whether the system accepted it. Fails quietly on a system without notifications."""
        async with self._turn:
            try:
                center = self._center or await self._open()
                if center is None:
                    return False
                async with asyncio.timeout(_PATIENCE_S):
                    shown = await self._send(center, notice)
            except Exception as error:  # noqa: BLE001  each system's library raises different errors
                _log.info("the system shows no notifications", error=repr(error))
                shown = False
            if not shown:
                self._drop()
            return shown

    async def close(self) -> None:
        """Remove the shown notifications, since the app can't handle clicks any more, and disconnect."""
        if self._center is not None:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(1):
                    await self._center.clear_all()
        self._drop()

    async def _open(self) -> "DesktopNotifierBackend | None":
        """Connect to the system's notification service; None if there is none, or the user refused."""
        make = await asyncio.to_thread(load)
        center = self._center = make()
        async with asyncio.timeout(_PATIENCE_S):
            abilities = await center.get_capabilities()
            interface = getattr(center, "interface", None)
            if interface is not None:
                self._reads_markup = "body-markup" in await interface.call_get_capabilities()
        async with asyncio.timeout(_CONSENT_S):
            return center if abilities and await center.request_authorisation() else None

    async def _send(self, center: "DesktopNotifierBackend", notice: Notice) -> bool:
        from desktop_notifier import Button, Notification, Urgency

        taken: list[bool] = []
        call = asyncio.get_running_loop().call_soon_threadsafe
        actions = (notice.action, *notice.others)
        go, *more = [partial(call, self._act, action) for action in actions]
        text = _plain(notice.text)
        await center.send(
            Notification(
                _plain(notice.title).replace("\n", " "),
                html.escape(text, quote=False) if self._reads_markup else text,
                urgency=Urgency.Normal if notice.kind is not NoticeKind.UPLOADED else Urgency.Low,
                buttons=tuple(
                    Button(action.label, act, f"{_GO}{place or ''}")
                    for place, (action, act) in enumerate(zip(actions, (go, *more), strict=True))
                ),
                on_clicked=go,
                on_dispatched=lambda: taken.append(True),
            )
        )
        return bool(taken)

    def _drop(self) -> None:
        """Disconnect; the next notification connects again."""
        center, self._center = self._center, None
        bus = getattr(center, "bus", None)
        if bus is not None:
            bus.disconnect()


def load() -> "Callable[[], DesktopNotifierBackend]":
    """Return the factory of the system's notification centre. Blocking: it takes 0.1 s."""
    from desktop_notifier import Icon
    from desktop_notifier.main import get_backend_class

    return partial(get_backend_class(), "Kalends", Icon(path=resources.path("icons/kalends-128.png")))


def _plain(text: str) -> str:
    """Return a text without characters that D-Bus or XML can't contain."""
    return "".join(each for each in text if each == "\n" or unicodedata.category(each) not in ("Cc", "Cs"))


_COME: Final = "come"
_KINDS: Final[dict[NoticeKind, MessageKind]] = {NoticeKind.FAILED: "error", NoticeKind.RECONNECT: "warning"}


def is_in_front() -> bool:
    """Whether one of our windows is active."""
    return QApplication.activeWindow() is not None


def is_seen(controller: "MainController", news: News) -> bool:
    """Whether an event is visible in the active window; uploads always are, in the status line."""
    if news.kind is NoticeKind.BY_HAND:
        return controller.finishing.is_shown
    if not is_in_front():
        return False
    if news.kind is NoticeKind.UPLOADED:
        return True
    if news.kind is NoticeKind.RECONNECT:
        return controller.is_built("connections") and controller.connections.isVisible()
    if (side := controller.window.side) is not None:
        from app.desktop.inspector import Inspector  # imports the composer

        if isinstance(side, Inspector) and side.key == news.key:
            return True
    if news.kind is NoticeKind.IN_INBOX:
        return False  # the user has to do something, which the card in the calendar doesn't explain
    return not news.missed and controller.calendar.isVisible() and controller.calendar.shows(news.key)


class Teller:
    """Shows the notifications of one calendar at a time."""

    def __init__(self, window: MainWindow, fallback: Callable[[Notice], bool] | None = None) -> None:
        """``fallback`` shows a notification if the system's service can't, and returns whether it did."""
        self._window = window
        self._fallback = fallback
        self._preferences = window.preferences
        self._system = SystemNotices(self._act)
        self._scope = TaskScope(window)
        self._controller: MainController | None = None
        self._stop: Callable[[], None] = lambda: None

    def follow(self, controller: "MainController") -> None:
        """Show the notifications of a calendar from now on."""
        self.leave()
        self._controller = controller
        self._stop = controller.workspace.notices.listen(self._tell, self._leave_out, self._is_quiet)

    def leave(self) -> None:
        """Stop showing notifications."""
        self._stop()
        self._stop = lambda: None
        self._controller = None

    async def close(self) -> None:
        """Remove the shown notifications."""
        self.leave()
        self._scope.cancel()
        await self._system.close()

    async def try_out(self) -> bool:
        """Show a test notification, and return whether the system accepted it."""
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
        """Whether notifications wait for the end of quiet hours; not while a window of ours is active."""
        now = datetime.now(self._window.zone).time()
        return self._preferences.quiet_hours.include(now) and not is_in_front()

    def _tell(self, notice: Notice) -> None:
        if not is_in_front():
            self._scope.start(self._send(notice))
        elif notice.kind is NoticeKind.BY_HAND and self._controller is not None:
            self._controller.finishing.open(notice.action.subject, is_asked=False)
        else:
            self.say(notice)

    async def _send(self, notice: Notice) -> None:
        shown = await self._system.show(notice)
        if not shown and (self._fallback is None or not self._fallback(notice)):
            self.say(notice)

    def say(self, notice: Notice) -> None:
        """Show a notification as a message in the window."""
        kind = _KINDS.get(notice.kind, "info")
        text = "\n".join(filter(None, (notice.title, notice.text)))
        other = notice.others[0] if notice.kind is NoticeKind.IN_INBOX and notice.others else None
        self._window.messages.tell(Message(kind, text, action=notice.action, other=other))

    def _act(self, action: MessageAction) -> None:
        if action.verb not in WITHOUT_WINDOW:
            self._window.come_forward()
        if self._controller is not None:
            self._controller.act(action)
