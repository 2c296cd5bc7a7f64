"""Files, text or an address dropped on a time, from another program or another part of this one."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.page import Target
from app.desktop.calendar.view import CalendarView

_TEXT_MAX = 100_000
"""Characters; what is longer is no post."""
_FILES_MAX = 200
"""Whoever drops more has dropped something else than posts."""


class Drops(QObject):
    """Shows where a drop would land, and hands on what was dropped there."""

    text_dropped = Signal(str, object)
    """The text, and the Target."""
    files_dropped = Signal(list, object)
    """The paths, and the Target."""
    aimed = Signal(object)
    """The Target below the pointer, or None."""

    def __init__(self, view: CalendarView) -> None:
        super().__init__(view)
        self._view = view
        view.viewport().setAcceptDrops(True)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes over what Qt would do with a drop on a list."""
        if isinstance(event, (QDragEnterEvent, QDragMoveEvent)):
            self._over(event)
            return True
        if isinstance(event, QDropEvent):
            self._drop(event)
            return True
        if event.type() is QEvent.Type.DragLeave:
            self._aim(None)
            return True
        return super().eventFilter(watched, event)

    def _over(self, event: QDropEvent) -> None:
        target = self._target(event) if _files_of(event) or _text_of(event) else None
        self._aim(target)
        if target is None:
            event.ignore()
        else:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def _drop(self, event: QDropEvent) -> None:
        files, text, target = _files_of(event), _text_of(event), self._target(event)
        self._aim(None)
        if target is None or not (files or text):
            event.ignore()
            return
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if files:
            self.files_dropped.emit(files, target)
        else:
            self.text_dropped.emit(text, target)

    def _target(self, event: QDropEvent) -> Target | None:
        point: QPoint = self._view.canvas(event.position().toPoint())
        modifiers = QApplication.keyboardModifiers()
        is_fine = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        return self._view.page.target(point.x(), point.y(), fine=is_fine, keep_time=False)

    def _aim(self, target: Target | None) -> None:
        self._view.aim_at(target)
        self.aimed.emit(target)


def _files_of(event: QDropEvent) -> list[Path]:
    """The local files of a drop, each once; empty for too many."""
    urls = event.mimeData().urls()
    files = dict.fromkeys(Path(url.toLocalFile()) for url in urls if url.isLocalFile() and url.toLocalFile())
    return list(files) if len(files) <= _FILES_MAX else []


def _text_of(event: QDropEvent) -> str:
    """The text of a drop, empty for files and for what is no text."""
    data = event.mimeData()
    if any(url.isLocalFile() for url in data.urls()):
        return ""
    addresses = " ".join(url.toString() for url in data.urls())
    text = data.text().strip() or addresses
    return text if len(text) <= _TEXT_MAX else ""
