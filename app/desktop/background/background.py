"""Keeps Kalends running without its window if there's a tray to bring it back from."""

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSystemTrayIcon, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.children.replaced import program_file
from app.children.successor import successor
from app.contract.enums import PostStatus
from app.desktop.background import START_AT_LOGIN
from app.desktop.background.replaced import Replacement
from app.desktop.background.tray import DockMenu, Tray
from app.desktop.background.unsent import leaves_behind, unless_left_behind, waiting_posts
from app.desktop.links import ShowDay
from app.desktop.shell.window import MainWindow
from app.desktop.widgets import Button, Divider, Label, Sheet, primary, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn
from app.workspace.changes import Changes
from app.workspace.clock import wall_clock
from app.workspace.messages import Message, MessageAction
from app.workspace.notices.notice import WITHOUT_WINDOW, Notice
from app.workspace.time.wall import DAY_MS
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from app.desktop.shell.main_controller import MainController


class EndingSheet(Sheet):
    """Asks before closing the window without a tray, which ends Kalends, and shows how many posts wait."""

    minimized = Signal()
    ended = Signal()

    def __init__(self, host: QWidget, posts: int) -> None:
        title = trn(
            "{n} post won't be published while Kalends is closed",
            "{n} posts won't be published while Kalends is closed",
            posts,
        )
        super().__init__(host, title, 560)
        text = tr("Kalends publishes from this computer. Minimize the window to keep publishing.")
        self.setAccessibleDescription(text)
        self.minimize, self.quit = primary(tr("Minimize")), secondary(tr("Quit Kalends"))
        self.stay = Button(tr("Cancel"), key_hint="Esc")
        self.layout_.addLayout(_body(title, text))
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.stay, self.quit, self.minimize))
        self.stay.clicked.connect(self.dismiss)
        self.minimize.clicked.connect(self.dismiss)
        self.minimize.clicked.connect(self.minimized)
        self.quit.clicked.connect(self.dismiss)
        self.quit.clicked.connect(self.ended)


class ClosingSheet(Sheet):
    """Asks whether to close the window or keep running in the tray, and remembers the answer."""

    chosen = Signal(bool)
    """Whether Kalends goes on without its window."""

    def __init__(self, host: QWidget) -> None:
        super().__init__(host, tr("Close the window and keep publishing?"), 560)
        text = tr(
            "Kalends publishes only while it's running. It can stay in the tray with "
            "its window closed and notify you about your posts. You can change this "
            "in Settings."
        )
        self.setAccessibleDescription(text)
        self.keep, self.quit = primary(tr("Keep publishing")), secondary(tr("Quit Kalends"))
        self.stay = Button(tr("Cancel"), key_hint="Esc")
        self.layout_.addLayout(_body(self.accessibleName(), text))
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.stay, self.quit, self.keep))
        self.stay.clicked.connect(self.dismiss)
        self.keep.clicked.connect(lambda: self._choose(on=True))
        self.quit.clicked.connect(lambda: self._choose(on=False))

    def _choose(self, *, on: bool) -> None:
        self.dismiss()
        self.chosen.emit(on)


def _body(title: str, text: str) -> QVBoxLayout:
    body = QVBoxLayout()
    body.setContentsMargins(20, 16, 20, 16)
    body.setSpacing(8)
    body.addWidget(Label(title, "section", wrap=True))
    body.addWidget(Label(text, "text", "text2", wrap=True))
    return body


_NOT_AT_LOGIN: Final = "not_at_login"
_TRAY_S: Final = 30
_BADGE_MS: Final = 7 * DAY_MS
"""Failures of so long count on the badge: who did nothing about older ones means to."""


def ask_about_login(window: MainWindow, workspace: Workspace, can_start: Callable[[], bool]) -> None:
    """Ask once whether to start at login, when the first post is scheduled; not with practice platforms.

    ``can_start``: whether this system can start the app at login.
    """
    preferences = window.preferences
    if preferences.was_asked_about_login or workspace.practice or not window.isVisible():
        return
    if workspace.posts.next_scheduled(wall_clock()) is None:
        return
    if can_start():  # asked last: it builds the settings
        preferences.was_asked_about_login = True
        window.messages.tell(_question())


def _question() -> Message:
    text = tr("Kalends publishes only while it's running. Start it automatically when you log in?")
    yes = MessageAction(tr("Start automatically"), START_AT_LOGIN)
    no = MessageAction(tr("Not now"), _NOT_AT_LOGIN)
    return Message("info", text, action=yes, other=no)


class Background(QObject):
    """Owns the tray icon, and decides what closing the window does."""

    quit_wanted = Signal()
    """The person wants everything to end."""

    def __init__(
        self,
        window: MainWindow,
        *,
        is_tray_there: Callable[[], bool] = QSystemTrayIcon.isSystemTrayAvailable,
    ) -> None:
        super().__init__(window)
        self.preferences = window.preferences
        self.tray = Tray(self)
        self.dock = DockMenu()
        self._replacement = Replacement(window, program_file(), successor)
        self._window = window
        self._is_tray_there = is_tray_there
        self._controller: MainController | None = None
        self._runs_here = False
        self._is_ending = self._may_lose = False
        self._asking: ClosingSheet | None = None
        self._ending: EndingSheet | None = None
        self._stop_listening: Callable[[], None] = lambda: None
        window.may_close = self._may_close
        window.ask_to_quit = self.quit
        self._connect()
        self.dock.offer()

    @property
    def is_possible(self) -> bool:
        """Whether Kalends can run without a window, because there's a tray."""
        return self._is_tray_there()

    def follow(self, controller: "MainController", *, runs_here: bool) -> None:
        """Show another calendar in the tray; ``runs_here``: this computer publishes it."""
        self.leave()
        self._controller, self._runs_here = controller, runs_here
        self._stop_listening = controller.workspace.listen(self._changed)
        self.tray.follow(controller)
        self._replacement.follow(controller)
        if self.is_possible:
            self.tray.show()
        self._count()
        self._ask_of_login()

    def leave(self) -> None:
        """Clear the tray after the calendar was closed."""
        self._stop_listening()
        self._stop_listening = lambda: None
        self._controller, self._runs_here = None, False
        self.tray.follow(None)
        self._replacement.follow(None)

    async def wait_for_tray(self) -> bool:
        """Show the tray icon once there's a tray, which takes a while during login."""
        for _ in range(_TRAY_S):
            if self.is_possible:
                self.tray.show()
                return True
            await asyncio.sleep(1)
        return False

    def tell(self, notice: Notice) -> bool:
        """Show a notification at the tray icon; on Linux that's the service that refused it before."""
        return sys.platform != "linux" and self.tray.tell(notice)

    def end(self) -> None:
        """End Kalends: close the window without asking, and remove the tray icon."""
        self._is_ending = True
        self._replacement.end()
        self.leave()
        self.tray.hide()
        _show_badge(0)

    def quit(self) -> None:
        """End Kalends; ask first if texts would be lost, or posts depend on this computer."""
        self._unless_left_behind(self._quit)

    def _quit(self) -> None:
        if not self._runs_here or not self._waiting():
            self.quit_wanted.emit()
            return
        self._window.come_forward()
        if self.is_possible and self.preferences.keeps_publishing is None:
            self._ask()
        else:
            self._warn_of_end()

    def _waiting(self) -> int:
        """Return the number of posts that are published only while Kalends runs."""
        return waiting_posts(self._controller.workspace) if self._controller is not None else 0

    def _may_close(self) -> bool:
        """Return whether the window may close and end Kalends; otherwise hide it, or ask."""
        application = QGuiApplication.instance()
        is_saving = isinstance(application, QGuiApplication) and application.isSavingSession()
        if self._is_ending or is_saving:
            return True
        stays = self._runs_here and self.is_possible and self.preferences.keeps_publishing
        if not (stays or self._may_lose) and self._leaves_behind():
            self._unless_left_behind(self._close_anyway)
            return False
        if not self._runs_here:
            return True
        if not self.is_possible:
            return not self._warn_of_end()
        if self.preferences.keeps_publishing is None:
            self._ask()
            return False
        if self.preferences.keeps_publishing:
            self._hide()
        return not self.preferences.keeps_publishing

    def _leaves_behind(self) -> bool:
        return leaves_behind(self._controller, runs_here=self._runs_here)

    def _unless_left_behind(self, go: Callable[[], object]) -> None:
        unless_left_behind(self._window, self._controller, go, runs_here=self._runs_here)

    def _close_anyway(self) -> None:
        """Close the window, although something is left behind."""
        self._may_lose = True
        self._window.close()
        self._may_lose = False

    def _hide(self) -> None:
        self.tray.show()
        self._window.hide()

    def _ask(self) -> None:
        if self._asking is not None and isValid(self._asking) and self._asking.isVisible():
            return
        self._asking = ClosingSheet(self._window)
        self._asking.chosen.connect(self._chosen)
        self._asking.present(self._asking.keep)

    def _warn_of_end(self) -> bool:
        """Ask before Kalends ends with scheduled posts; return False if there are none."""
        if self._ending is not None and isValid(self._ending) and self._ending.isVisible():
            return True
        waiting = self._waiting()
        if not waiting:
            return False
        self._ending = EndingSheet(self._window, waiting)
        self._ending.minimized.connect(self._window.showMinimized)
        self._ending.ended.connect(self.quit_wanted)
        self._ending.present(self._ending.minimize)
        return True

    def _chosen(self, on: bool) -> None:
        self.preferences.keeps_publishing = on
        if on:
            self._hide()
        else:
            self.quit_wanted.emit()

    def _connect(self) -> None:
        self._replacement.restart_wanted.connect(self.quit_wanted)
        self.tray.opened.connect(self._window.come_forward)
        self.tray.quit_wanted.connect(self.quit)
        self.tray.new_post_wanted.connect(self._write)
        self.tray.finishing_wanted.connect(self._finish)
        self.dock.new_post_wanted.connect(self._write)
        self.dock.today_wanted.connect(self._show_today)
        self.tray.post_wanted.connect(lambda key: self._act(MessageAction("", "show_post", key)))
        self.tray.notice_clicked.connect(self._act)

    def _write(self) -> None:
        self._window.come_forward()
        if self._controller is not None:
            self._window.go("calendar")
            self._controller.panels.compose()

    def _show_today(self) -> None:
        self._window.come_forward()
        if self._controller is not None:
            self._controller.run_errands([ShowDay()])

    def _finish(self) -> None:
        if self._controller is not None:
            self._controller.finishing.open()

    def _act(self, action: MessageAction) -> None:
        if action.verb not in WITHOUT_WINDOW:
            self._window.come_forward()
        if self._controller is not None:
            self._controller.act(action)

    def _changed(self, changes: Changes) -> None:
        self.tray.hear(changes)
        if changes.posts or changes.removed or changes.reset:
            self._count()
            self._ask_of_login()

    def _ask_of_login(self) -> None:
        controller = self._controller
        if controller is not None and self._runs_here:
            ask_about_login(
                self._window, controller.workspace, lambda: controller.settings.background.can_start_at_login
            )

    def _count(self) -> None:
        """Show the number of recently failed posts where the system has a badge."""
        if self._controller is not None:
            now = wall_clock()
            posts = self._controller.workspace.posts.between(now - _BADGE_MS, now)
            _show_badge(sum(post.status is PostStatus.FAILED for post in posts))


def _show_badge(count: int) -> None:
    application = QGuiApplication.instance()
    if isinstance(application, QGuiApplication):
        application.setBadgeNumber(count)
