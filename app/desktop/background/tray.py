"""The tray icon and macOS's dock menu: the next post, and opening the window."""

import asyncio
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.desktop.background.countdown import coming
from app.desktop.binding import import_in_thread
from app.desktop.finishing.words import waiting_words
from app.desktop.local_time import local
from app.desktop.theme import icons
from app.desktop.theme.fonts import font
from app.desktop.theme.tokens import LIGHT
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.clock import from_millis, wall_clock
from app.workspace.notices.notice import Notice

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection

    from app.desktop.shell.main_controller import MainController

_EDGES: Final = (16, 22, 24, 32, 44, 48, 64)
"""Sizes that trays ask for, at 100 and 200 %."""
_NUMBER: Final = 9
"""Height of the number's font, in sixteenths of the icon."""


@lru_cache(maxsize=4)
def tray_icon(day: int, *, is_due: bool, is_template: bool = sys.platform == "darwin") -> QIcon:
    """Return the icon.

    Args:
        day: the number on the page.
        is_due: whether a post is still due today.
        is_template: whether to return a shape that the system colours, as in macOS's menu bar.
    """
    result = QIcon()
    for edge in _EDGES:
        result.addPixmap(_page(edge, str(day), is_due=is_due, is_template=is_template))
    result.setIsMask(is_template)
    return result


def _page(edge: int, number: str, *, is_due: bool, is_template: bool) -> QPixmap:
    pixmap = QPixmap(edge, edge)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(edge / 16, edge / 16)
    ink = QColor(LIGHT.text)
    # The tray's own colour isn't known. Paper with an ink edge can be seen on any.
    painter.setPen(QPen(ink, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush if is_template else QColor(LIGHT.surface))
    painter.drawRoundedRect(QRectF(0.5, 1.5, 14, 14), 3, 3)
    painter.setFont(font("strong", _NUMBER / 13))
    painter.drawText(QRectF(0, 1.5, 15, 14.5), Qt.AlignmentFlag.AlignCenter, number)
    if is_due:
        _paint_dot(painter, ink if is_template else QColor(LIGHT.rubric))
    painter.end()
    return pixmap


def _paint_dot(painter: QPainter, color: QColor) -> None:
    """Paint the dot at the page's corner, with a gap around it."""
    corner = QPointF(13, 3)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.drawEllipse(corner, 3.75, 3.75)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    painter.setBrush(color)
    painter.drawEllipse(corner, 3, 3)


_AGAIN_MS: Final = 15_000


class DockMenu(QMenu):
    """The same actions as in the menu of a Linux desktop entry."""

    new_post_wanted = Signal()
    today_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.new_post = self.addAction(tr("New post"))
        self.today = self.addAction(tr("Today"))
        self.new_post.triggered.connect(self.new_post_wanted)
        self.today.triggered.connect(self.today_wanted)

    def offer(self) -> None:
        """Show it in the dock. Other systems have no such menu."""
        if sys.platform == "darwin":
            self.setAsDockMenu()  # type: ignore[attr-defined]  # Linux stubs lack it


class Tray(QObject):
    """The tray icon, with a system menu that keyboards and screen readers can use."""

    opened = Signal()
    """The person wants the window."""
    new_post_wanted = Signal()
    post_wanted = Signal(str)
    """The person wants to see the post with this key."""
    finishing_wanted = Signal()
    """The person wants the posts that they publish by hand."""
    quit_wanted = Signal()
    notice_clicked = Signal(object)
    """The action of the notice that was shown last."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.icon = QSystemTrayIcon(self)
        self.menu = QMenu()
        self.waiting = self._add("")
        self.next = self._add(tr("Nothing is scheduled"))
        self.menu.addSeparator()
        self.open = self._add(tr("Open Kalends"))
        self.new_post = self._add(tr("New post"))
        self.menu.addSeparator()
        self.quit = self._add(tr("Quit Kalends"))
        self._controller: MainController | None = None
        self._next_key = ""
        self._notice: Notice | None = None
        self._timer = QTimer(self, interval=_AGAIN_MS)
        self._connect()
        self.refresh()

    def show(self) -> None:
        """Show the tray icon."""
        self.icon.setContextMenu(self.menu)
        self.icon.show()
        self._timer.start()

    def hide(self) -> None:
        """Hide the tray icon."""
        self._timer.stop()
        self.icon.hide()

    def follow(self, controller: "MainController | None") -> None:
        """Show another calendar; None for none."""
        self._controller = controller
        self.refresh()

    def hear(self, changes: Changes) -> None:
        """Handle a change of the calendar."""
        if changes.posts or changes.removed or changes.reset:
            self.refresh()

    def refresh(self) -> None:
        """Update the next post."""
        post, now = None, wall_clock()
        today = local(from_millis(now))
        controller = self._controller
        if controller is not None:
            post = controller.workspace.posts.next_scheduled(now)
            said = coming(post, now, controller.window.zone, practice=controller.workspace.practice)
        else:
            said = tr("No calendar is open")
        waiting = waiting_words(len(controller.workspace.finishing.waiting()) if controller else 0)
        self.waiting.setText(waiting)
        self.waiting.setVisible(bool(waiting))
        self._next_key = post.key if post else ""
        self.next.setText(said.replace("&", "&&"))
        self.next.setEnabled(post is not None)
        self.new_post.setEnabled(controller is not None)
        is_due = post is not None and local(from_millis(post.at)).date() == today.date()
        self.icon.setIcon(tray_icon(today.day, is_due=is_due))
        self.icon.setToolTip("\n".join(filter(None, ("Kalends", waiting, said))))

    def tell(self, notice: Notice) -> bool:
        """Show a notification at the icon; return False if that's impossible."""
        if not (self.icon.isVisible() and QSystemTrayIcon.supportsMessages()):
            return False
        self._notice = notice
        self.icon.showMessage(notice.title, notice.text, icons.app_icon())
        return True

    def _add(self, text: str) -> QAction:
        action = QAction(text, self)  # PySide forgets one that the menu makes when a sheet is deleted
        self.menu.addAction(action)
        return action

    def _connect(self) -> None:
        self.waiting.triggered.connect(self.finishing_wanted)
        self.next.triggered.connect(lambda: self.post_wanted.emit(self._next_key))
        self.open.triggered.connect(self.opened)
        self.new_post.triggered.connect(self.new_post_wanted)
        self.quit.triggered.connect(self.quit_wanted)
        self.icon.activated.connect(self._activated)
        self.icon.messageClicked.connect(self._message_clicked)
        self.menu.aboutToShow.connect(self.refresh)
        self._timer.timeout.connect(self.refresh)

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        chosen = QSystemTrayIcon.ActivationReason
        if reason in (chosen.Trigger, chosen.DoubleClick):
            self.opened.emit()

    def _message_clicked(self) -> None:
        if self._notice is not None:
            self.notice_clicked.emit(self._notice.action)


_NAME: Final = "org.kde.StatusNotifierWatcher"
_ROUNDS: Final = 20
_PAUSE_S: Final = 0.5


async def wait_for_watcher() -> None:
    """Return when the D-Bus service for tray icons is there, or after ten seconds.

    Qt looks for it only once, so it mustn't be asked for a tray before.
    """
    if sys.platform == "linux":
        await import_in_thread("PySide6.QtDBus")
        from PySide6.QtDBus import QDBusConnection

        for _ in range(_ROUNDS):
            if not await asyncio.to_thread(_is_to_come, QDBusConnection):
                return
            await asyncio.sleep(_PAUSE_S)


def _is_to_come(connection: "type[QDBusConnection]") -> bool:
    """Return whether the session may still get a tray."""
    bus = connection.sessionBus()
    if not bus.isConnected():
        return False
    return not bool(bus.interface().isServiceRegistered(_NAME).value())
