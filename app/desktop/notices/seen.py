"""Whether the person has something before their eyes already."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from app.workspace.notices.notice import News, NoticeKind

if TYPE_CHECKING:
    from app.desktop.shell.house import House


def is_in_front() -> bool:
    """Whether the person is at a window of ours."""
    return QApplication.activeWindow() is not None


def is_seen(house: "House", news: News) -> bool:
    """Whether what happened shows in a window that the person is at; uploads always do, in its foot."""
    if not is_in_front():
        return False
    if news.kind is NoticeKind.UPLOADED:
        return True
    if news.kind is NoticeKind.RECONNECT:
        return house.is_built("connections") and house.connections.isVisible()
    if (side := house.window.side) is not None:
        from app.desktop.inspector import Inspector  # it brings the composer with it

        if isinstance(side, Inspector) and side.key == news.key:
            return True
    return not news.missed and house.calendar.isVisible() and house.calendar.shows(news.key)
