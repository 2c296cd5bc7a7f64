"""The editor of a text: what is pasted or dropped is words, or the file of the post."""

from typing import Final

from PySide6.QtCore import QEvent, QMimeData, QPoint, Signal
from PySide6.QtGui import QContextMenuEvent, QImage
from PySide6.QtWidgets import QPlainTextEdit

from app.desktop.carried import TEXT_MAX, Carried, read, writable
from app.desktop.widgets.redo import redo_pressed

_LINE_ENDS: Final = str.maketrans(dict.fromkeys("\u2028\u2029\ufdd0\ufdd1", "\n"))
"""What Qt parts lines by."""


class PostEditor(QPlainTextEdit):
    """Takes words as plain text; hands files and pictures on."""

    carried = Signal(object)
    """A Carried with files, or with keys of stored ones."""
    pictured = Signal(QImage)
    """A picture that has no file, such as a part of the screen."""
    refused = Signal(int)
    """So many characters were pasted that every key would be waited for: they are no post."""
    menu_asked = Signal(QPoint, int)
    """Where on the screen, and at which position in the text."""

    def toPlainText(self) -> str:  # noqa: N802  Qt's
        """Return what is written; Qt's own would make every no-break space one that breaks."""
        return self.document().toRawText().translate(_LINE_ENDS)

    def event(self, event: QEvent) -> bool:
        """Takes Ctrl+Y for itself."""
        return redo_pressed(self, event) or super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Asks for the menu of the word below the pointer, or at the cursor when a key asked."""
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            below = self.cursorRect().bottomLeft()
            self.menu_asked.emit(self.viewport().mapToGlobal(below), self.textCursor().selectionStart())
        else:
            self.menu_asked.emit(event.globalPos(), self.cursorForPosition(event.pos()).position())

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802  Qt's
        return bool(read(source)) or source.hasImage() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802  Qt's
        if found := attachable(source):
            self.carried.emit(found)
        elif source.hasText():  # tables are copied with a picture of themselves: the words are meant
            self._insert(source.text())
        elif source.hasImage():
            self.pictured.emit(QImage(source.imageData()))
        else:
            self.insertPlainText(read(source).text)

    def _insert(self, text: str) -> None:
        if len(text) > TEXT_MAX:
            self.refused.emit(len(text))
            return
        self.insertPlainText(writable(text))
        self.ensureCursorVisible()


def attachable(source: QMimeData) -> Carried | None:
    """Return the files that are carried, or None."""
    found = read(source)
    return found if found.files or found.media else None
