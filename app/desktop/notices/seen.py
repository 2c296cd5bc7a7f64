"""Whether the person has something before their eyes already."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from app.workspace.notices.notice import News, NoticeKind

if TYPE_CHECKING:
    from app.desktop.shell.main_controller import MainController


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
