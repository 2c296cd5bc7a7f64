"""The clipboard, borrowed for a post that is published by hand."""

from pathlib import Path
from typing import Final, cast

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication

_HTML: Final = "text/html"
_TEXT: Final = "text/plain"
_Facts = tuple[str, list[QUrl]]


class BorrowedClipboard:
    """Puts texts and files on the clipboard, and restores its earlier content afterwards."""

    def __init__(self) -> None:
        self._before: QMimeData | None = None
        self._ours: _Facts = "", []
        self._made: _Facts | None = None
        app = QGuiApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.leave_text)

    def put_text(self, text: str) -> None:
        """Put a text on the clipboard."""
        self._remember()
        QGuiApplication.clipboard().setText(text)
        self._ours = _facts()

    def put_file(self, file: Path) -> None:
        """Put a file on the clipboard, to be pasted into a page or a folder."""
        self._remember()
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file))])
        self._set(data)
        self._ours = _facts()

    def give_back(self) -> None:
        """Restore the earlier content, unless the user has copied something else since."""
        before, self._before = self._before, None
        if before is None or _facts() != self._ours:
            return
        if set(before.formats()) <= {_TEXT}:
            QGuiApplication.clipboard().setText(before.text())
        else:
            self._set(before)

    def leave_text(self) -> None:
        """Leave only text on the clipboard when the app ends, if the content is from here.

        WORKAROUND: Qt deletes the clipboard's data after Python has ended, which crashes if Python created
        it.
        """
        if self._made is not None and self._made == _facts():
            QGuiApplication.clipboard().setText(QGuiApplication.clipboard().text())

    def _set(self, data: QMimeData) -> None:
        QGuiApplication.clipboard().setMimeData(data)  # the clipboard takes ownership of the data
        self._made = _facts()

    def _remember(self) -> None:
        if self._before is None or _facts() != self._ours:
            self._before = _copy_of(_content())


def _facts() -> _Facts:
    """Return the facts by which our content on the clipboard is recognised."""
    there = _content()
    return there.text(), there.urls()


def _content() -> QMimeData:
    """Return the content of the clipboard; Qt returns None for nothing."""
    there = cast("QMimeData | None", QGuiApplication.clipboard().mimeData())
    return QMimeData() if there is None else there


def _copy_of(data: QMimeData) -> QMimeData:
    """Return a copy of a clipboard's content in common formats: text, files and a picture."""
    copy = QMimeData()
    if data.hasUrls():
        copy.setUrls(data.urls())
    if data.hasHtml():
        copy.setData(_HTML, data.data(_HTML))
    if data.hasText():
        copy.setText(data.text())
    if data.hasImage():
        copy.setImageData(data.imageData())
    return copy
